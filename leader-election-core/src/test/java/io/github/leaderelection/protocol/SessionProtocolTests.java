package io.github.leaderelection.protocol;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.protocol.SessionProtocol.Life;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionProtocol}: what is known of the sessions of others. What
 * becomes of one's own is tested with it.
 */
class SessionProtocolTests {

	private static final Duration TTL = ElectionScript.TTL;

	private final SessionProtocol protocol = new SessionProtocol("me", ElectionScript.TIMING, () -> 7);

	private Moment now = new Moment(Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(), 1_700_000_000_000L);

	@Test
	void keepsCountingWhileItShowsTheSameRevision() {
		Session session = other(3);
		Observation first = observe(null, session);
		assertThat(first).isEqualTo(new Observation(session, this.now.nanos(), this.now.nanos()));
		pass(5_000);
		Session same = new Session(session.candidate(), session.number(), 3, session.ttl(), Instant.EPOCH, false);
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
		Session tombstone = new Lease("jobs", "other", 3, 7, 30, TTL, null, null, null, false).tombstone();
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
