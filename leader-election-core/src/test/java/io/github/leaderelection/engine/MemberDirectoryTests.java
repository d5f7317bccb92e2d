package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MemberDirectory}.
 */
class MemberDirectoryTests {

	private static final CandidateRecord IDENTITY = new CandidateRecord("me", "shop", "host", null, null, Set.of(),
			null, Set.of());

	private final List<Duration> timeouts = new ArrayList<>();

	private final List<String> calls = new ArrayList<>();

	private boolean failing;

	private final List<CandidateRecord> stored = new ArrayList<>();

	private final MemberDirectory announcements = new MemberDirectory(IDENTITY, new Registry(), new Moment(0, 0));

	@Test
	void allRequestsFitIntoTheAvailableTime() {
		assertThat(announce(Duration.ofMillis(300))).isLessThanOrEqualTo(Duration.ofMillis(300));
	}

	@Test
	void everyRequestHasAMinimumTimeout() {
		announce(Duration.ofMillis(1));
		assertThat(this.timeouts)
			.allSatisfy((timeout) -> assertThat(timeout).isGreaterThanOrEqualTo(Duration.ofMillis(1)));
	}

	@Test
	void silentCandidatesAreLeftOut() {
		Instant now = Instant.parse("2026-01-01T03:00:00Z");
		this.stored.add(seen("me", now));
		this.stored.add(seen("late", now.minusSeconds(240)));
		this.stored.add(seen("ahead", now.plusSeconds(240)));
		this.stored.add(seen("gone", now.minusSeconds(480)));
		this.stored.add(seen("unknown", null));
		this.stored.add(seen("from times to come", Instant.parse("2999-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).extracting(CandidateRecord::id)
			.containsExactly("me", "late", "ahead");
	}

	@Test
	void candidateDetailsAreSanitized() {
		this.stored.add(seen("me", null));
		this.stored.add(new CandidateRecord("id\n1", "app\u001b[2J", "host\u2029", "v\u202e1",
				"http://user:pass/word@web-1/\r\nx", Set.of("jobs"), null, Set.of()));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).contains(new CandidateRecord("id?1", "app?[2J", "host?", "v?1",
				"http://******@web-1/??x", Set.of("jobs"), null, Set.of()));
	}

	@Test
	void noCandidatesAreShownIfThisProcessIsMissing() {
		this.stored.add(seen("forged", Instant.parse("2999-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).isEmpty();
	}

	@Test
	void allAreCandidatesIfTheStoreReportsNoTime() {
		this.stored.add(seen("me", null));
		this.stored.add(seen("other", Instant.parse("2026-01-01T03:00:00Z")));
		announce(Duration.ofSeconds(1));
		assertThat(this.announcements.candidates()).extracting(CandidateRecord::id).containsExactly("me", "other");
	}

	@Test
	void announcesItselfPeriodicallyAndWhenItsElectionsChange() {
		assertThat(poll(Set.of(), 0, 0)).isNull();
		perform(poll(Set.of("jobs"), 0, 0));
		assertThat(this.calls).containsExactly("announce", "find");
		assertThat(poll(Set.of("jobs"), 0, 29_999)).isNull();
		perform(poll(Set.of("jobs"), 0, 120_000));
		assertThat(poll(Set.of("jobs"), 0, 239_999)).isNull();
		perform(poll(Set.of("jobs"), 0, 240_000));
		this.calls.subList(0, 2).clear();
		perform(poll(Set.of("jobs", "reports"), 0, 240_001));
		assertThat(this.calls).containsExactly("announce", "find", "announce", "find", "announce", "find");
		assertThat(poll(Set.of("jobs", "reports"), 0, 240_002)).isNull();
	}

	@Test
	void announcesPauseAndResumeAtOnce() {
		perform(poll(Set.of("jobs"), 0, 0));
		this.calls.clear();
		perform(poll(Set.of("jobs"), Set.of("jobs"), 0, 1));
		assertThat(poll(Set.of("jobs"), Set.of("jobs"), 0, 2)).isNull();
		perform(poll(Set.of("jobs"), 0, 3));
		assertThat(this.calls).containsExactly("announce", "find", "announce", "find");
	}

	@Test
	void batchesReadsOfNewCandidates() {
		perform(poll(Set.of("jobs"), 0, 0));
		this.calls.clear();
		assertThat(poll(Set.of("jobs"), 1, 4_999)).isNull();
		perform(poll(Set.of("jobs"), 3, 5_000));
		assertThat(this.calls).containsExactly("find");
		assertThat(poll(Set.of("jobs"), 3, 10_000)).isNull();
		assertThat(poll(Set.of("jobs"), 4, 9_999)).isNull();
		perform(poll(Set.of("jobs"), 4, 10_000));
		assertThat(this.calls).containsExactly("find", "find");
	}

	@Test
	void retriesAFailedAnnouncement() {
		this.failing = true;
		StoreCall call = poll(Set.of("jobs"), 0, 0);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call.request()::get);
		call.onFailure().accept(at(1_000));
		assertThat(poll(Set.of("jobs"), 0, 30_999)).isNull();
		this.failing = false;
		this.calls.clear();
		perform(poll(Set.of("jobs"), 0, 31_000));
		assertThat(this.calls).containsExactly("announce", "find");
	}

	private @Nullable StoreCall poll(Set<String> elections, long sessionsSeen, long millis) {
		return poll(elections, Set.of(), sessionsSeen, millis);
	}

	private @Nullable StoreCall poll(Set<String> elections, Set<String> paused, long sessionsSeen, long millis) {
		return this.announcements.poll(elections, paused, sessionsSeen, Duration.ofSeconds(1), at(millis));
	}

	private static void perform(@Nullable StoreCall call) {
		assertThat(call).isNotNull();
		Object unused = call.request().get();
	}

	private static Moment at(long millis) {
		return new Moment(millis * 1_000_000, millis);
	}

	private static CandidateRecord seen(String id, Instant seenAt) {
		return new CandidateRecord(id, "shop", "host", null, null, Set.of("jobs"), seenAt, Set.of());
	}

	private Duration announce(Duration slack) {
		Object unused = this.announcements.poll(Set.of("jobs"), Set.of(), 0, slack, new Moment(0, 0)).request().get();
		assertThat(this.timeouts).hasSize(2);
		return this.timeouts.stream().reduce(Duration.ZERO, Duration::plus);
	}

	private final class Registry extends CandidateRegistry {

		Registry() {
			super(new InMemoryRecordStores(), "");
		}

		@Override
		public void announce(CandidateRecord candidate, Duration timeout) {
			MemberDirectoryTests.this.timeouts.add(timeout);
			MemberDirectoryTests.this.calls.add("announce");
			if (MemberDirectoryTests.this.failing) {
				throw new LeaseStoreException("No answer", null);
			}
		}

		@Override
		public void remove(String candidateId, Duration timeout) {
			MemberDirectoryTests.this.timeouts.add(timeout);
		}

		@Override
		public List<CandidateRecord> findAll(Duration timeout) {
			MemberDirectoryTests.this.timeouts.add(timeout);
			MemberDirectoryTests.this.calls.add("find");
			return MemberDirectoryTests.this.stored;
		}

	}

}
