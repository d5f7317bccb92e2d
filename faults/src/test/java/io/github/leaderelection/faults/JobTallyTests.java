package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.faults.JobFault.Kind;
import io.github.leaderelection.faults.JobFaultRun.Injected;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobTally}: each broken rule must be detected.
 */
class JobTallyTests {

	private static final Instant ZERO = Instant.parse("2025-03-01T00:00:00Z");

	private final List<RecordedState> states = new ArrayList<>(
			List.of(new RecordedState(ZERO, 0, 0, null, null, null, 0, 0, null)));

	private final List<BegunRun> begun = new ArrayList<>();

	@Test
	void soundHistoryHasNoViolations() {
		run("a", 1, 1);
		finish("SUCCEEDED");
		start("b", 2, 1);
		cover(4, 2, 0);
		run("c", 5, 2);
		finish("SUCCEEDED");
		JobTally tally = tally();
		assertThat(tally.violations()).isEmpty();
		assertThat(tally.fireTimes()).isEqualTo(5);
		assertThat(tally.begun()).isEqualTo(2);
		assertThat(tally.notBegun()).isEqualTo(1);
		assertThat(tally.coalesced()).isEqualTo(2);
		assertThat(tally.coalescing()).isEqualTo(1);
		assertThat(tally.missed()).isZero();
	}

	@Test
	void withdrawnStartCanBeRepeated() {
		start("a", 1, 1);
		withdraw();
		run("b", 1, 1);
		finish("SUCCEEDED");
		assertThat(tally().violations()).isEmpty();
		assertThat(tally().withdrawn()).isEqualTo(1);
	}

	@Test
	void fireTimeStartedTwiceIsFound() {
		run("a", 1, 1);
		withdraw();
		run("b", 1, 1);
		assertThat(tally().doubled()).isEqualTo(1);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("begun twice: "))
			.anyMatch((each) -> each.startsWith("taken back, but begun: "));
	}

	@Test
	void runStartedTwiceIsFound() {
		run("a", 1, 1);
		begin("a", 1, 1);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("begun twice by one recorded start: "));
	}

	@Test
	void unaccountedFireTimeIsFound() {
		run("a", 1, 1);
		run("c", 3, 1);
		assertThat(tally().missed()).isEqualTo(1);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("of 1 fire times"))
			.anyMatch((each) -> each.startsWith("1 of 3 fire times are not accounted for"));
	}

	@Test
	void fireTimeCountedTwiceIsFound() {
		cover(2, 3, 0);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("of 2 fire times"));
	}

	@Test
	void unrecordedRunIsFound() {
		begin("a", 1, 1);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("begun, but not recorded like this: "));
	}

	@Test
	void runUnderAnotherTermThanRecordedIsFound() {
		start("a", 1, 1);
		begin("a", 1, 2);
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("begun, but not recorded like this: "));
	}

	@Test
	void recordedEndOfARunThatNeverBeganIsFound() {
		start("a", 1, 1);
		finish("SUCCEEDED");
		assertThat(tally().violations()).anyMatch((each) -> each.startsWith("recorded as ended, but not begun: "));
	}

	@Test
	void fireTimeSkippedWithoutReasonIsFound() {
		run("a", 1, 1);
		cover(2, 1, 0);
		run("c", 3, 1);
		assertThat(tally().explainedBy(List.of()).violations()).singleElement()
			.asString()
			.startsWith("fire times passed without a run and without a reason: ");
		assertThat(tally().explainedBy(List.of(new Injected(Kind.PAUSED, 1_500, 2_500))).violations()).isEmpty();
	}

	@Test
	void fireTimeDuringALongRunMayBeSkipped() {
		start("a", 1, 1);
		begin("a", 1, 1, JobTally.PERIOD.plusMillis(1));
		cover(2, 0, 1);
		run("c", 3, 1);
		assertThat(tally().explainedBy(List.of()).violations()).isEmpty();
	}

	@Test
	void unrecordedJobMissesFireTimesThatNeverBegan() {
		begin("-", 1, 1);
		begin("-", 4, 1);
		begin("-", 4, 2);
		JobTally tally = JobTally.ofUnrecorded(this.begun);
		assertThat(tally.fireTimes()).isEqualTo(4);
		assertThat(tally.missed()).isEqualTo(2);
		assertThat(tally.doubled()).isEqualTo(1);
	}

	private JobTally tally() {
		return JobTally.ofRecorded(this.begun, this.states);
	}

	private void begin(String id, int fireTime, long term) {
		begin(id, fireTime, term, Duration.ZERO);
	}

	private void begin(String id, int fireTime, long term, Duration late) {
		this.begun.add(new BegunRun(BegunRun.RECORDED, at(fireTime), term, 1, "SCHEDULED", id, fireTime * 1_000, late,
				fireTime * 1_000 + 200, Path.of("i1-001.runs")));
	}

	private void run(String id, int fireTime, long term) {
		start(id, fireTime, term);
		begin(id, fireTime, term);
	}

	private void start(String id, int fireTime, long term) {
		this.states.add(new RecordedState(at(fireTime), last().skipped(), last().missed(), id, at(fireTime),
				"SCHEDULED", 1, term, "RUNNING"));
	}

	private void finish(String outcome) {
		this.states.add(with(last().covered(), last().missed(), last().skipped(), outcome));
	}

	private void withdraw() {
		this.states.add(this.states.get(this.states.size() - 2));
	}

	private void cover(int until, int missed, int skipped) {
		this.states.add(with(at(until), last().missed() + missed, last().skipped() + skipped, last().outcome()));
	}

	private RecordedState with(Instant covered, long missed, long skipped, String outcome) {
		RecordedState last = last();
		return new RecordedState(covered, skipped, missed, last.run(), last.fireTime(), last.cause(), last.attempt(),
				last.term(), outcome);
	}

	private RecordedState last() {
		return this.states.get(this.states.size() - 1);
	}

	private static Instant at(int fireTime) {
		return ZERO.plus(JobTally.PERIOD.multipliedBy(fireTime));
	}

}
