package io.github.leaderelection.protocol;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.protocol.SessionProtocol.Life;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionProtocol}, rule by rule, as candidate {@code me}. Its ttl is 10
 * s: it renews every 2.5 s, vouches for 9 s, and tries again after 625 ms. Its first
 * session has the number 7.
 */
class SessionProtocolTests {

	private static final Duration TTL = ElectionScript.TTL;

	private static final Duration INTERVAL = ElectionScript.TIMING.renewInterval();

	private final AtomicLong numbers = new AtomicLong(7);

	private final SessionProtocol protocol = new SessionProtocol("me", ElectionScript.TIMING,
			this.numbers::getAndIncrement);

	private Moment now = new Moment(Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(), 1_700_000_000_000L);

	// Its own

	@Test
	void countsFromBeforeTheRevisionWasFirstSentHoweverOftenItWasSent() {
		SessionState state = this.protocol.begin(this.now);
		assertThat(this.now.isDue(state.nextCall())).isTrue();
		Moment insertedAt = this.now;
		state = this.protocol.sending(state, this.now);
		pass(400);
		state = this.protocol.inserted(state, true, INTERVAL, this.now);
		assertStored(state, 1, insertedAt);
		pass(2_100);
		Moment renewedAt = this.now;
		state = this.protocol.sending(state, this.now);
		pass(700);
		state = this.protocol.unanswered(state, this.now);
		assertThat(state.phase()).isEqualTo(Phase.ALIVE);
		assertThat(state.validUntil()).isEqualTo(insertedAt.plus(Duration.ofSeconds(9)));
		assertNext(state, 625);
		pass(625);
		state = this.protocol.sending(state, this.now);
		pass(100);
		assertStored(this.protocol.renewed(state, true, INTERVAL, this.now), 2, renewedAt);
	}

	private void assertStored(SessionState state, long revision, Moment since) {
		assertThat(state.phase()).isEqualTo(Phase.ALIVE);
		assertThat(this.protocol.session(state)).isEqualTo(new Session("me", 7, revision, TTL, null, false));
		assertThat(state.validUntil()).isEqualTo(since.plus(Duration.ofSeconds(9)));
		assertThat(state.confirmedAt()).isEqualTo(since);
		assertThat(state.nextCall()).isEqualTo(since.plus(INTERVAL).nanos());
	}

	private void assertNext(SessionState state, long millis) {
		assertThat(state.nextCall()).isEqualTo(this.now.plus(Duration.ofMillis(millis)).nanos());
	}

	@Test
	void neverGoesOnUnderWhatMayStillBeInserted() {
		SessionState state = this.protocol.sending(this.protocol.begin(this.now), this.now);
		state = this.protocol.unanswered(state, this.now);
		assertAnother(state, 8, 625);
		assertAnother(this.protocol.inserted(state, false, INTERVAL, this.now), 9, 0);
	}

	private void assertAnother(SessionState state, long number, long millis) {
		assertThat(state.phase()).isEqualTo(Phase.NEW);
		assertThat(this.protocol.session(state)).isEqualTo(new Session("me", number, 0, TTL, null, false));
		assertThat(state.pendingSince()).isNull();
		assertThat(state.validUntil()).isNull();
		assertNext(state, millis);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "missing", textBlock = """
			# what is stored: revision, ended; whether revision 5 was sent; what that proves
			5,       false, true,  STORED
			5,       false, false, OVER
			5,       true,  true,  OVER
			4,       false, true,  NOT_YET
			4,       false, false, NOT_YET
			4,       true,  true,  OVER
			3,       false, true,  OVER
			6,       false, true,  OVER
			0,       false, true,  OVER
			missing, false, true,  OVER
			""")
	void aReadProvesWhatOnlyThisProcessCanHaveMade(@Nullable Long revision, boolean ended, boolean sent, String proof) {
		Moment before = this.now;
		SessionState alive = new SessionState(Phase.ALIVE, 6, 4, sent ? before : null, before.nanos(),
				before.plus(Duration.ofSeconds(2)), before, null);
		pass(300);
		SessionState unclear = this.protocol.renewed(alive, false, INTERVAL, this.now);
		assertThat(unclear.phase()).isEqualTo(Phase.UNCLEAR);
		assertNext(unclear, 0);
		Session stored = (revision != null) ? new Session("me", 6, revision, TTL, null, ended) : null;
		SessionState state = this.protocol.shown(unclear, stored, INTERVAL, this.now);
		switch (proof) {
			case "STORED" -> {
				assertThat(state.revision()).isEqualTo(5);
				assertThat(state.validUntil()).isEqualTo(before.plus(Duration.ofSeconds(9)));
			}
			case "NOT_YET" -> {
				assertThat(state.phase()).isEqualTo(Phase.ALIVE);
				assertThat(state.revision()).isEqualTo(4);
				assertThat(state.validUntil()).isEqualTo(alive.validUntil());
				assertThat(state.pendingSince()).isEqualTo(alive.pendingSince());
				assertNext(state, 625);
			}
			default -> {
				assertAnother(state, 7, 0);
				assertThat(state.confirmedAt()).isEqualTo(before);
			}
		}
	}

	@Test
	void provesThatItCanRenewBeforeItIsGoodForAnythingWhereThatHasFailed() {
		SessionState state = this.protocol.inserted(this.protocol.begin(this.now), true, INTERVAL, this.now);
		assertThat(state.isUnproven()).isFalse();
		state = this.protocol.unanswered(state, this.now);
		state = this.protocol.over(state, this.now);
		state = this.protocol.inserted(state, true, INTERVAL, this.now);
		assertThat(state.isUnproven()).isTrue();
		assertNext(state, 0);
		state = this.protocol.renewed(state, true, INTERVAL, this.now);
		assertThat(state.isUnproven()).isFalse();
		assertNext(state, 2_500);
	}

	@Test
	void renewsAsOftenAsOthersExpectItOnceItIsNeeded() {
		SessionState state = this.protocol.begin(this.now);
		assertThat(this.protocol.needed(state, this.now)).isEqualTo(state);
		state = this.protocol.inserted(state, true, INTERVAL.multipliedBy(2), this.now);
		assertNext(state, 5_000);
		pass(1_000);
		assertNext(this.protocol.needed(state, this.now), 1_500);
		pass(3_900);
		assertNext(this.protocol.needed(state, this.now), -2_400);
		SessionState unclear = this.protocol.renewed(state, false, INTERVAL, this.now);
		assertThat(this.protocol.needed(unclear, this.now)).isEqualTo(unclear);
	}

	// Those of others

	@Test
	void keepsCountingWhileItShowsTheSameRevision() {
		Session session = other(3);
		Observation first = observe(null, session);
		assertThat(first).isEqualTo(new Observation(session, this.now.nanos(), this.now.nanos()));
		pass(5_000);
		Session same = session.renewedAt(Instant.EPOCH);
		Observation again = observe(first, same);
		assertThat(again).isEqualTo(new Observation(same, first.since(), first.freeAt()));
		Observation missing = observe(again, null);
		pass(5_000);
		assertThat(observe(missing, null)).isEqualTo(missing);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "missing", textBlock = """
			# the revision before, and after; when it may be taken: as before, now, or with a head start
			3,       4,       BEFORE
			3,       2,       BEFORE
			3,       missing, LATER
			missing, 3,       NOW
			3,       ended,   LATER
			""")
	void startsToCountAgainWhenItShowsSomethingElse(@Nullable String before, @Nullable String after, String free) {
		Observation first = observe(null, stored(before));
		pass(5_000);
		long later = this.now.plus(ElectionScript.HEAD_START).nanos();
		long freeAt = free.equals("BEFORE") ? first.freeAt() : free.equals("LATER") ? later : this.now.nanos();
		Observation second = observe(first, stored(after));
		assertThat(second).isEqualTo(new Observation(stored(after), this.now.nanos(), freeAt));
		pass(100);
		assertThat(observe(second, stored(after))).isEqualTo(second);
	}

	@ParameterizedTest
	@CsvSource({ "60000", "100" })
	void takesHolderForAliveForItsOwnTtl(long millis) {
		Observation seen = observe(null, Session.first("other", 1, Duration.ofMillis(millis)));
		assertLife(Life.ALIVE, seen);
		// Whatever the wall clock shows.
		this.now = new Moment(this.now.nanos(), this.now.millis() + Duration.ofDays(1).toMillis());
		pass(millis - 1);
		assertLife(Life.ALIVE, seen);
		pass(1);
		assertLife(Life.SILENT, seen);
		assertLife(Life.ALIVE, observe(seen, Session.first("other", 1, Duration.ofMillis(millis)).renewed()));
	}

	@ParameterizedTest
	@CsvSource(nullValues = "missing", textBlock = """
			missing, MISSING
			ended,   ENDED
			""")
	void tellsForGoodThatHolderHasNoSessionOrOneThatHasEnded(@Nullable String stored, Life life) {
		assertLife(Life.UNKNOWN, null);
		Observation seen = observe(null, stored(stored));
		assertLife(life, seen);
		pass(60_000);
		assertLife(life, seen);
		assertLife(life, observe(seen, stored(stored)));
	}

	@Test
	void watchesTombstoneForTheTtlOfTheLease() {
		Session tombstone = new Lease("jobs", "other", 3, 7, 30, TTL, null, null).tombstone();
		assertThat(tombstone).isEqualTo(other(0));
		Observation seen = observe(observe(null, null), tombstone);
		pass(9_999);
		assertLife(Life.ALIVE, seen);
		pass(1);
		assertLife(Life.SILENT, seen);
	}

	private void assertLife(Life life, @Nullable Observation seen) {
		assertThat(this.protocol.life(seen, this.now)).isEqualTo(life);
	}

	private Observation observe(@Nullable Observation before, @Nullable Session session) {
		return this.protocol.observe(before, session, this.now, ElectionScript.HEAD_START);
	}

	private static @Nullable Session stored(@Nullable String revision) {
		return (revision == null) ? null
				: revision.equals("ended") ? other(3).expired() : other(Long.parseLong(revision));
	}

	private static Session other(long revision) {
		return new Session("other", 3, revision, TTL, null, false);
	}

	private void pass(long millis) {
		this.now = this.now.plus(Duration.ofMillis(millis));
	}

}
