package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.engine.SessionProtocol.Life;
import io.github.leaderelection.engine.SessionProtocol.Proof;
import io.github.leaderelection.engine.SessionState.Phase;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SessionProtocol}, rule by rule, as candidate {@code me}. Its ttl is 10
 * s: it renews every 2.5 s, vouches for 9 s, and tries again after 625 ms. How a session
 * goes on is tested with {@link OwnSession}.
 */
class SessionProtocolTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration HEAD_START = Duration.ofMillis(300);

	private final ManualClock clock = new ManualClock();

	private final SessionProtocol protocol = new SessionProtocol("me", Rhythm.of(ElectionSettings.of(TTL)));

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
	void aReadProvesWhatOnlyThisProcessCanHaveMade(@Nullable Long revision, boolean ended, boolean sent, Proof proof) {
		SessionState state = new SessionState(Phase.UNCLEAR, 7, 4, sent ? now() : null, now().nanos());
		Session stored = (revision != null) ? new Session("me", 7, revision, TTL, null, ended) : null;
		assertThat(this.protocol.read(state, stored)).isEqualTo(proof);
	}

	@Test
	void countsFromBeforeTheRevisionWasFirstSent() {
		SessionState state = new SessionState(Phase.ALIVE, 7, 4, null, now().nanos());
		assertThat(this.protocol.countsFrom(state, now())).isEqualTo(now());
		Moment first = now();
		state = this.protocol.sending(state, first);
		this.clock.advance(700);
		state = this.protocol.sending(state, now());
		assertThat(this.protocol.countsFrom(state, now())).isEqualTo(first);
		assertThat(this.protocol.deadline(first)).isEqualTo(first.plus(Duration.ofSeconds(9)));
	}

	@Nested
	class Watching {

		@Test
		void countsFromWhenItHasSeenTheRevision() {
			pass(400);
			Session session = other(3);
			assertThat(sight(null, session)).isEqualTo(new SessionSighting(session, now().nanos(), now().nanos()));
		}

		@Test
		void keepsCountingWhileItShowsTheSameRevision() {
			SessionSighting first = sight(null, other(3));
			pass(5_000);
			Session same = other(3).renewedAt(Instant.EPOCH);
			SessionSighting again = sight(first, same);
			assertThat(again.since()).isEqualTo(first.since());
			assertThat(again.freeAt()).isEqualTo(first.freeAt());
			assertThat(again.session()).isSameAs(same);
		}

		@Test
		void startsToCountAgainAtEachRenewal() {
			assertCountsAgain(other(3), other(4));
		}

		@Test
		void startsToCountAgainAtAnEarlierRevision() {
			assertCountsAgain(other(3), other(2));
		}

		@Test
		void startsToCountAgainWhenItIsFoundMissing() {
			assertCountsAgain(other(3), null);
		}

		@Test
		void startsToCountAgainWhenItIsThereAgain() {
			assertCountsAgain(null, other(3));
		}

		private void assertCountsAgain(@Nullable Session before, @Nullable Session after) {
			SessionSighting first = sight(null, before);
			pass(5_000);
			long freeAt = (before != null && after != null) ? first.freeAt()
					: now().plus((after != null) ? Duration.ZERO : HEAD_START).nanos();
			assertThat(sight(first, after)).isEqualTo(new SessionSighting(after, now().nanos(), freeAt));
		}

		@Test
		void keepsCountingWhileItIsMissing() {
			SessionSighting first = sight(null, null);
			pass(5_000);
			assertThat(sight(first, null)).isEqualTo(first);
		}

		@Test
		void givesWhoeverHasEndedTheSessionHeadStart() {
			SessionSighting first = sight(null, other(3));
			pass(5_000);
			SessionSighting ended = sight(first, other(3).expired());
			assertThat(ended.freeAt()).isEqualTo(now().plus(HEAD_START).nanos());
			assertThat(ended.since()).isEqualTo(now().nanos());
			pass(100);
			assertThat(sight(ended, other(3).expired()).freeAt()).isEqualTo(ended.freeAt());
		}

		@Test
		void knowsNothingOfHolderThatItHasNotLookedAt() {
			assertThat(life(null)).isEqualTo(Life.UNKNOWN);
		}

		@ParameterizedTest
		@CsvSource({ "60000", "100" })
		void takesHolderForAliveForItsOwnTtl(long millis) {
			SessionSighting seen = sight(null, Session.first("other", 1, Duration.ofMillis(millis)));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(millis - 1);
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(1);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		@Test
		void takesHolderThatRenewsForAlive() {
			SessionSighting seen = sight(null, other(3));
			for (int revision = 4; revision < 10; revision++) {
				pass(9_999);
				seen = sight(seen, other(revision));
				assertThat(life(seen)).isEqualTo(Life.ALIVE);
			}
		}

		@Test
		void doesNotMindTheWallClock() {
			SessionSighting seen = sight(null, other(3));
			SessionProtocolTests.this.clock.jump(Duration.ofDays(1));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
		}

		@Test
		void takesHolderForEndedAtOnceAndForGood() {
			SessionSighting seen = sight(null, other(3).expired());
			assertThat(life(seen)).isEqualTo(Life.ENDED);
			pass(60_000);
			assertThat(life(seen)).isEqualTo(Life.ENDED);
		}

		@Test
		void neverTakesHolderWithoutSessionForSilent() {
			SessionSighting seen = sight(null, null);
			assertThat(life(seen)).isEqualTo(Life.MISSING);
			pass(60_000);
			assertThat(life(seen)).isEqualTo(Life.MISSING);
			assertThat(life(sight(seen, null))).isEqualTo(Life.MISSING);
		}

		@Test
		void watchesTombstoneForTheTtlOfTheLease() {
			Session tombstone = new Lease("jobs", "other", 3, 7, 30, TTL, null, null).tombstone();
			assertThat(tombstone).isEqualTo(new Session("other", 3, 0, TTL, null, false));
			SessionSighting seen = sight(sight(null, null), tombstone);
			pass(9_999);
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(1);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		private Life life(@Nullable SessionSighting seen) {
			return protocol().life(seen, now());
		}

		private SessionSighting sight(@Nullable SessionSighting before, @Nullable Session session) {
			return protocol().sighted(before, session, now(), HEAD_START);
		}

		private Session other(long revision) {
			return new Session("other", 3, revision, TTL, null, false);
		}

	}

	private SessionProtocol protocol() {
		return this.protocol;
	}

	private void pass(long millis) {
		this.clock.advance(millis);
	}

	private Moment now() {
		return this.clock.now();
	}

}
