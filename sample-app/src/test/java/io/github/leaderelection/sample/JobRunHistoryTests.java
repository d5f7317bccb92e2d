package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobRunHistory}: it must be able to find fault.
 */
class JobRunHistoryTests {

	@Test
	void acceptsTermsThatFollowEachOther() {
		assertThat(violations(run(1, "a", 0, 10), run(1, "a", 20, 30), run(2, "b", 30, 40), run(4, "a", 50, 60)))
			.isEmpty();
	}

	@Test
	void acceptsARunThatWasCutOff() {
		assertThat(violations(run(1, "a", 0, null), run(2, "b", 30, 40))).isEmpty();
	}

	@Test
	void acceptsRunsOfOneTermAtTheSameTime() {
		assertThat(violations(run(1, "a", 0, 10), run(1, "a", 5, 15))).isEmpty();
	}

	@Test
	void keepsElectionsApart() {
		Run other = new Run(null, "job", "other", 7, "b", Instant.ofEpochMilli(5), Instant.ofEpochMilli(15), null,
				null);
		assertThat(violations(run(1, "a", 0, 10), other, run(1, "a", 20, 30))).isEmpty();
	}

	@Test
	void findsATermThatWentBack() {
		assertThat(violations(run(2, "a", 0, 10), run(1, "b", 20, 30))).singleElement()
			.asString()
			.startsWith("The term went back");
	}

	@Test
	void findsATermThatWentBackAfterARunThatWasCutOff() {
		assertThat(violations(run(2, "a", 0, null), run(3, "b", 5, null), run(2, "a", 20, null))).singleElement()
			.asString()
			.startsWith("The term went back");
	}

	@Test
	void findsTwoCandidatesInOneTerm() {
		assertThat(violations(run(1, "a", 0, 10), run(1, "b", 20, 30))).singleElement()
			.asString()
			.startsWith("Two candidates in one term");
	}

	@Test
	void findsAnOverlapOfTwoTerms() {
		assertThat(violations(run(1, "a", 0, 10), run(2, "b", 9, 30))).singleElement()
			.asString()
			.startsWith("Overlap of two terms");
	}

	@Test
	void findsAnOverlapOfTermsThatAreNotNeighbours() {
		assertThat(violations(run(1, "a", 0, 100), run(1, "a", 10, 20), run(2, "b", 50, 60))).singleElement()
			.asString()
			.startsWith("Overlap of two terms");
	}

	@Test
	void findsARunThatEndedBeforeItBegan() {
		assertThat(violations(run(1, "a", 10, 5))).singleElement().asString().startsWith("Ended before it began");
	}

	private static List<String> violations(Run... runs) {
		return new JobRunHistory(List.of(runs)).violations();
	}

	private static Run run(long term, String candidate, long from, @Nullable Integer to) {
		return new Run(null, "job", "election", term, candidate, Instant.ofEpochMilli(from),
				(to != null) ? Instant.ofEpochMilli(to) : null, null, null);
	}

}
