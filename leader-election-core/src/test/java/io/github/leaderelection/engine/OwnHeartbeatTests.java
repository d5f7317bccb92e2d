package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.PauseRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link OwnHeartbeat}, with a ttl of 10 s: it beats every 2.5 s, or every 4 s
 * while nothing is held, and believes for 9 s.
 */
class OwnHeartbeatTests {

	private static final Duration OFTEN = Duration.ofMillis(2_500);

	private static final Duration RARELY = Duration.ofSeconds(4);

	private static final Duration TTL = Duration.ofSeconds(10);

	private final ManualClock clock = new ManualClock();

	private final OwnHeartbeat own = new OwnHeartbeat(Rhythm.of(ElectionSettings.of(TTL)),
			(rhythm) -> new HeartbeatProtocol("me", rhythm), this.clock);

	@Test
	void beginsWithoutBelief() {
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.lastBelief()).isNull();
		assertThat(this.own.entered()).isNull();
		assertThat(this.own.sinceConfirmed(now())).isNull();
		assertThat(this.own.isOverdue(now())).isFalse();
		assertThat(this.own.nextCall(now())).isEqualTo(now().nanos());
		this.own.end(LossReason.TAKEN_OVER);
		assertThat(intent()).isEqualTo(new HeartbeatIntent.Enter(heartbeat(1, 1)));
	}

	@Test
	void believesOnceItIsEntered() {
		Belief belief = enter();
		assertThat(belief.epoch()).isEqualTo(1);
		assertThat(belief.deadline()).isEqualTo(now().plus(Duration.ofSeconds(9)));
		assertThat(this.own.belief()).isSameAs(belief);
		assertThat(this.own.entered()).isEqualTo(heartbeat(1, 1));
		assertThat(this.own.current()).isEqualTo(heartbeat(1, 1));
		assertThat(this.own.sinceConfirmed(now())).isZero();
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(Duration.ofMillis(2_500)).nanos());
	}

	@Test
	void believesFromBeforeItWasSent() {
		sending();
		Moment sentAt = now();
		this.clock.advance(1_000);
		this.own.entered(true, sentAt, now());
		assertThat(this.own.belief().deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void mayHaveBeenEnteredFromWhenThatIsSent() {
		sending();
		this.own.failed(now());
		assertThat(this.own.entered()).isNotNull();
		assertThat(this.own.belief()).isNull();
	}

	@Test
	void obeysEachRequestOnceAndAgainWhatHasFailed() {
		PauseRequest pause = PauseRequest.of("jobs", true, "other");
		PauseRequest resume = PauseRequest.of("jobs", false, "other");
		PauseRequest more = PauseRequest.of("more", true, "other");
		List<PauseRequest> obeyed = new ArrayList<>();
		assertThatIllegalStateException().isThrownBy(() -> this.own.obey(List.of(pause, more), (request) -> {
			if (request.equals(pause)) {
				throw new IllegalStateException();
			}
			obeyed.add(request);
		}));
		assertThat(obeyed).containsExactly(more);
		obeyed.clear();
		this.own.obey(List.of(pause, more), obeyed::add);
		this.own.obey(List.of(pause, more), obeyed::add);
		assertThat(obeyed).containsExactly(pause, more);
		obeyed.clear();
		this.own.obey(List.of(more, pause, resume), obeyed::add);
		this.own.obey(List.of(more, pause), obeyed::add);
		assertThat(obeyed).containsExactly(resume);
	}

	@Test
	void looksWhatIsThereIfItCanNotBeEntered() {
		sending();
		this.own.entered(false, now(), now());
		assertThat(this.own.belief()).isNull();
		assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
		sending();
		this.own.looked(heartbeat(4, 9), now());
		assertThat(this.own.belief()).isNull();
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(4, 10)));
		this.own.beaten(true, RARELY, now(), now());
		assertThat(this.own.belief().epoch()).isEqualTo(4);
	}

	@Test
	void countsBeatsAndAttemptsToEnterOnly() {
		sending();
		this.own.failed(now());
		this.clock.advance(625);
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Look());
		this.own.looked(null, now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Enter(heartbeat(2, 2)));
		this.own.entered(false, now(), now());
		sending();
		this.own.looked(heartbeat(1, 1), now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Raise(heartbeat(1, 1), 2));
		this.own.raised(true, now());
		assertThat(this.own.belief()).isNull();
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(2, 3)));
		assertThat(this.own.current()).isEqualTo(heartbeat(2, 3));
	}

	@Test
	void isExtendedByBeats() {
		Belief belief = enter();
		this.clock.advance(2_500);
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(1, 2)));
		Moment sentAt = now();
		this.clock.advance(500);
		assertThat(this.own.beaten(true, OFTEN, sentAt, now())).isTrue();
		assertThat(this.own.belief()).isSameAs(belief);
		assertThat(belief.deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofMillis(500));
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(Duration.ofMillis(2_500)).nanos());
	}

	@Test
	void beatsMoreRarelyWhileNothingIsToBeVouchedFor() {
		enter();
		this.clock.advance(2_500);
		sending();
		this.own.beaten(true, RARELY, now(), now());
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(Duration.ofSeconds(4)).nanos());
	}

	@Test
	void hurriesWhenSomethingIsToBeVouchedFor() {
		enter();
		this.clock.advance(2_500);
		sending();
		Moment sentAt = now();
		this.own.beaten(true, RARELY, sentAt, now());
		this.clock.advance(1_000);
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(Duration.ofMillis(2_500)).nanos());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(Duration.ofMillis(2_500)).nanos());
	}

	@Test
	void doesNotWaitLongerBecauseItHurries() {
		enter();
		this.own.failed(now());
		long soon = this.own.nextCall(now());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(soon);
	}

	@Test
	void doesNotHurryToEnter() {
		sending();
		this.own.failed(now());
		long soon = this.own.nextCall(now());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(soon);
	}

	@Test
	void beatsAtOnceIfItHurriesAndHasNeverBeaten() {
		sending();
		this.own.entered(false, now(), now());
		sending();
		this.own.looked(heartbeat(1, 1), now());
		this.own.failed(now());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(now().nanos());
	}

	@Test
	void losesEverythingWhenItsEpochWasEnded() {
		Belief belief = enter();
		this.clock.advance(2_500);
		sending();
		assertThat(this.own.beaten(false, OFTEN, now(), now())).isFalse();
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.lastBelief()).isSameAs(belief);
		assertThat(belief.endedBy()).isEqualTo(LossReason.TAKEN_OVER);
		assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
		this.own.looked(heartbeat(2, 1), now());
		assertThat(this.own.belief()).isNull();
		sending();
		this.own.beaten(true, OFTEN, now(), now());
		assertThat(this.own.belief()).isNotSameAs(belief);
		assertThat(this.own.belief().epoch()).isEqualTo(2);
		assertThat(belief.isHeld()).isFalse();
	}

	@Test
	void leavesItsEpochWhenItsBeliefIsOver() {
		enter();
		this.clock.advance(2_500);
		this.own.failed(now());
		this.clock.advance(6_499);
		assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(1, 2)));
		this.clock.advance(1);
		assertThat(this.own.nextCall(now())).isEqualTo(now().nanos());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Look());
		// Nobody has ended it, or a mark shows the same.
		this.own.looked(heartbeat(1, 900), now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Raise(heartbeat(1, 900), 2));
		this.own.raised(true, now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(2, 901)));
		this.own.beaten(true, OFTEN, now(), now());
		assertThat(this.own.belief().epoch()).isEqualTo(2);
	}

	@Test
	void leavesAnEpochUnderWhichItHasNotBeatenInTime() {
		sending();
		this.own.entered(false, now(), now());
		sending();
		this.own.looked(heartbeat(4, 9), now());
		this.clock.advance(8_999);
		assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(heartbeat(4, 10)));
		this.clock.advance(1);
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Look());
		this.own.looked(heartbeat(4, 9), now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Raise(heartbeat(4, 9), 5));
	}

	@Test
	void leavesAnEpochThatItHasEnteredAndHeardOfTooLate() {
		sending();
		Moment sentAt = now();
		this.clock.advance(9_000);
		this.own.entered(true, sentAt, now());
		assertThat(this.own.belief()).isNull();
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Look());
		this.own.looked(heartbeat(1, 1), now());
		assertThat(sending()).isEqualTo(new HeartbeatIntent.Raise(heartbeat(1, 1), 2));
	}

	@Test
	void revivesNothingByBeatThatIsAcknowledgedLate() {
		Belief belief = enter();
		this.clock.advance(2_500);
		sending();
		Moment sentAt = now();
		this.clock.advance(6_500);
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.beaten(true, OFTEN, sentAt, now())).isTrue();
		assertThat(belief.endedBy()).isEqualTo(LossReason.EXPIRED);
		assertThat(this.own.belief()).isNotNull().isNotSameAs(belief);
		assertThat(this.own.belief().deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
	}

	@Test
	void vouchesForNothingWhileItIsUnclearWhatIsThere() {
		Belief belief = enter();
		this.clock.advance(2_500);
		sending();
		this.own.failed(now());
		assertThat(this.own.belief()).isSameAs(belief);
		this.own.entered(false, now(), now());
		assertThat(belief.isHeld()).isTrue();
		assertThat(this.own.belief()).isNull();
		// Somebody has raised it meanwhile.
		this.own.looked(heartbeat(2, 1), now());
		assertThat(this.own.belief()).isNull();
	}

	@Test
	void endsItsBeliefOnRequest() {
		Belief belief = enter();
		this.own.end(LossReason.SHUTDOWN);
		assertThat(belief.endedBy()).isEqualTo(LossReason.SHUTDOWN);
		assertThat(this.own.belief()).isNull();
	}

	@Test
	void isOverdueWhenBeatThatWasDueHasHadItsTime() {
		enter();
		this.clock.advance(4_999);
		assertThat(this.own.isOverdue(now())).isFalse();
		this.clock.advance(1);
		assertThat(this.own.isOverdue(now())).isTrue();
	}

	@Test
	void goesAtPaceThatIsGoodForAll() {
		Rhythm before = this.own.protocol().rhythm();
		HeartbeatProtocol protocol = this.own.protocol();
		this.own.join(before);
		assertThat(this.own.protocol()).isSameAs(protocol);
		Rhythm stricter = new Rhythm(TTL, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(1),
				Duration.ofSeconds(2));
		this.own.join(stricter);
		assertThat(this.own.protocol().rhythm()).isEqualTo(before.with(stricter));
		assertThat(enter().deadline()).isEqualTo(now().plus(Duration.ofSeconds(7)));
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(Duration.ofSeconds(1)).nanos());
	}

	private Belief enter() {
		sending();
		this.own.entered(true, now(), now());
		return this.own.belief();
	}

	private HeartbeatIntent sending() {
		HeartbeatIntent intent = intent();
		this.own.sending(intent, now());
		return intent;
	}

	private @Nullable HeartbeatIntent intent() {
		return this.own.intent(now());
	}

	private static Heartbeat heartbeat(long epoch, long beat) {
		return new Heartbeat("me/10000", epoch, beat, TTL, null);
	}

	private Moment now() {
		return this.clock.now();
	}

}
