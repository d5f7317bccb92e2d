package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Announcements}.
 */
class AnnouncementsTests {

	private static final CandidateRecord IDENTITY = new CandidateRecord("me", "shop", "host", 1, null, null, Set.of(),
			null, null);

	private final List<Duration> timeouts = new ArrayList<>();

	private final List<CandidateRecord> stored = new ArrayList<>();

	private final Announcements announcements = new Announcements(IDENTITY, new Registry(), new Moment(0, 0));

	@Test
	void requestsTogetherTakeNoLongerThanLeasesLeave() {
		assertThat(announce(Duration.ofMillis(300))).isLessThanOrEqualTo(Duration.ofMillis(300));
	}

	@Test
	void requestsHaveSomeTimeHoweverLittleIsLeft() {
		announce(Duration.ofMillis(1));
		assertThat(this.timeouts)
			.allSatisfy((timeout) -> assertThat(timeout).isGreaterThanOrEqualTo(Duration.ofMillis(1)));
	}

	@Test
	void whoGivesNoSignOfLifeIsNotAmongTheCandidates() {
		Instant now = Instant.parse("2026-01-01T03:00:00Z");
		this.stored.add(seen("me", now));
		this.stored.add(seen("late", now.minusSeconds(60)));
		this.stored.add(seen("ahead", now.plusSeconds(60)));
		this.stored.add(seen("gone", now.minusSeconds(120)));
		this.stored.add(seen("unknown", null));
		this.stored.add(seen("from times to come", Instant.parse("2999-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).extracting(CandidateRecord::id)
			.containsExactly("me", "late", "ahead");
	}

	@Test
	void whatCandidatesTellOfThemselvesIsFitForOneLine() {
		this.stored.add(seen("me", null));
		this.stored.add(new CandidateRecord("id\n1", "app\u001b[2J", "host\u2029", 1, "v\u202e1",
				"http://user:pass/word@web-1/\r\nx", Set.of("jobs"), null, null));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).contains(new CandidateRecord("id?1", "app?[2J", "host?", 1, "v?1",
				"http://******@web-1/??x", Set.of("jobs"), null, null));
	}

	@Test
	void nobodyIsShownWhereThisProcessIsCrowdedOut() {
		this.stored.add(seen("forged", Instant.parse("2999-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).isEmpty();
	}

	@Test
	void allAreCandidatesWhereNobodyTellsTheTime() {
		this.stored.add(seen("me", null));
		this.stored.add(seen("other", Instant.parse("2026-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).extracting(CandidateRecord::id).containsExactly("me", "other");
	}

	private static CandidateRecord seen(String id, Instant seenAt) {
		return new CandidateRecord(id, "shop", "host", 1, null, null, Set.of("jobs"), null, seenAt);
	}

	private Duration announce(Duration slack) {
		this.announcements.poll(Set.of("jobs"), slack, new Moment(0, 0)).perform();
		assertThat(this.timeouts).hasSize(2);
		return this.timeouts.stream().reduce(Duration.ZERO, Duration::plus);
	}

	private final class Registry implements CandidateRegistry {

		@Override
		public void announce(CandidateRecord candidate, Duration timeout) {
			AnnouncementsTests.this.timeouts.add(timeout);
		}

		@Override
		public void remove(String candidateId, Duration timeout) {
			AnnouncementsTests.this.timeouts.add(timeout);
		}

		@Override
		public List<CandidateRecord> findAll(Duration timeout) {
			AnnouncementsTests.this.timeouts.add(timeout);
			return AnnouncementsTests.this.stored;
		}

	}

}
