package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link GatedCalls} and {@link GatedCall}.
 */
class GatedCallsTests {

	private final ManualClock clock = new ManualClock();

	private final PumpedExecutor lossExecutor = new PumpedExecutor();

	private final Term term = term("jobs", this.clock);

	private final ExecutorService worker = Executors.newSingleThreadExecutor();

	@AfterEach
	void stopWorker() {
		this.worker.shutdownNow();
		boolean interrupted = Thread.interrupted();
		assertThat(WorkScope.find(Leadership.class)).isNull();
		assertThat(interrupted).isFalse();
	}

	@Test
	void letsCallsInWhileTheTermIsHeld() {
		GatedCall call = enter(this.term);
		assertThat(call.leadership()).isSameAs(this.term);
		assertThat(this.term.calls().count()).isEqualTo(1);
		call.close();
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void letsNoCallInFromTheDeadlineOn() {
		this.clock.advance(10_000);
		assertThat(enter(this.term)).isNull();
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void letsNoCallInOnceClosedThoughTheTermIsHeld() {
		this.term.calls().close();
		assertThat(this.term.isHeld()).isTrue();
		assertThat(enter(this.term)).isNull();
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void isDrainedWhenItIsClosedAndTheLastCallInFlightHasEnded() {
		enter(this.term).close();
		assertThat(this.term.calls().drained()).isNotDone();
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(this.term);
		this.term.calls().close();
		inner.close();
		assertThat(this.term.calls().drained()).isNotDone();
		outer.close();
		assertThat(this.term.calls().drained()).isDone();
	}

	@Test
	void endingTwiceIsEndingOnce() {
		GatedCall first = enter(this.term);
		first.close();
		GatedCall second = enter(this.term);
		first.close();
		this.term.calls().close();
		assertThat(this.term.calls().count()).isEqualTo(1);
		assertThat(this.term.calls().drained()).isNotDone();
		assertThat(WorkScope.find(Leadership.class)).isSameAs(this.term);
		second.close();
	}

	@Test
	void callIsDetachedByTheThreadThatIsInItOnly() throws Exception {
		GatedCall call = enter(this.term);
		this.worker.submit(() -> assertThatIllegalStateException().isThrownBy(() -> call.detach(null)))
			.get(10, TimeUnit.SECONDS);
		call.close();
		assertThatIllegalStateException().isThrownBy(() -> call.detach(null));
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void callThatEndsEndsThoseInsideItThatTheThreadHasLeft() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall between = enter(this.term);
		GatedCall inner = enter(other);
		GatedCall innermost = enter(this.term);
		between.close();
		assertThat(WorkScope.find(Leadership.class)).isSameAs(this.term);
		assertThat(this.term.calls().count()).isEqualTo(1);
		assertThat(other.calls().count()).isZero();
		innermost.close();
		inner.close();
		assertThat(this.term.calls().count()).isEqualTo(1);
		outer.close();
		assertThat(this.term.calls().count()).isZero();
		assertThat(WorkScope.find(Leadership.class)).isNull();
	}

	@Test
	void callThatEndsOnceItsTermIsLostEndsThoseInsideItToo() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		enter(other);
		enter(this.term);
		lose(this.term);
		lose(other);
		this.term.calls().close();
		other.calls().close();
		outer.close();
		assertThat(this.term.calls().drained()).isDone();
		assertThat(other.calls().drained()).isDone();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void callThatIsDetachedLeavesNoneInsideIt() {
		GatedCall outer = enter(this.term);
		enter(this.term);
		outer.detach(null);
		assertThat(this.term.calls().count()).isEqualTo(1);
		outer.close();
		assertThat(this.term.calls().count()).isZero();
		assertThat(WorkScope.find(Leadership.class)).isNull();
	}

	@Test
	void outerCallThatIsLostBeforeItIsToldIsInterruptedOnceItIs() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(other);
		lose(other);
		this.term.end(LossReason.EXPIRED);
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void callThatIsDetachedWhenItWasGivenItsInterruptBackLeavesNone() {
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(this.term);
		lose(this.term);
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.detach(null);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.close();
	}

	@Test
	void refusedCallIsNotTheCurrentOne() {
		GatedCall outer = enter(this.term);
		Term other = term("others", this.clock);
		other.end(LossReason.EXPIRED);
		assertThat(enter(other)).isNull();
		assertThat(WorkScope.find(Leadership.class)).isSameAs(this.term);
		outer.close();
	}

	@Test
	void lossInterruptsTheThreadInsideTheCall() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		Future<?> interrupted = this.worker.submit(() -> {
			GatedCall call = enter(this.term);
			entered.countDown();
			try {
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
			}
			finally {
				call.close();
			}
		});
		entered.await();
		lose(this.term);
		interrupted.get(10, TimeUnit.SECONDS);
	}

	@Test
	void lossDoesNotInterruptCallThatDidNotWantIt() {
		GatedCall call = this.term.enter(false);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		call.close();
	}

	@Test
	void interruptOfCallDoesNotLeakIntoWhatFollowsOnTheThread() {
		GatedCall call = enter(this.term);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		call.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).as("after it has left").isFalse();
	}

	@Test
	void interruptThatWasNotMeantForTheCallIsKept() {
		GatedCall call = enter(this.term);
		Thread.currentThread().interrupt();
		call.close();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptOfInnerCallDoesNotLeakIntoTheOuterWhoseTermIsHeld() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(other);
		lose(other);
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.close();
	}

	@Test
	void outerCallOfTheSameTermIsInterruptedTooThoughTheInnerHasSwallowedIt() {
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(this.term);
		lose(this.term);
		assertThat(Thread.interrupted()).isTrue();
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void outerCallKeepsItsInterruptPastOneThatDoesNotWantAny() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall between = this.term.enter(false);
		GatedCall inner = enter(other);
		lose(this.term);
		lose(other);
		inner.close();
		between.close();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.close();
	}

	@Test
	void outerCallThatDoesNotWantAnyIsNotLeftTheInterruptOfTheInner() {
		GatedCall outer = this.term.enter(false);
		GatedCall inner = enter(this.term);
		lose(this.term);
		inner.close();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.close();
	}

	@Test
	void neverInterruptsThreadThatLeavesAtTheSameTimeNorSwallowsTheInterruptOfWhatIsAround() throws Exception {
		int rounds = 20_000;
		AtomicReference<Term> next = new AtomicReference<>();
		Future<?> caller = this.worker.submit(() -> {
			for (int round = 0; round < rounds; round++) {
				Term contended = term("contended", this.clock);
				GatedCall outer = enter(contended);
				Term lost = term("lost", this.clock);
				GatedCall inner = enter(lost);
				lose(lost);
				next.set(contended);
				for (int i = 0; i < round % 64; i++) {
					Thread.onSpinWait();
				}
				inner.close();
				// Of two rounds one leaves at once, while it is interrupted perhaps.
				boolean waits = round % 2 == 0;
				while (waits && next.get() != null) {
					Thread.onSpinWait();
				}
				boolean interrupted = Thread.currentThread().isInterrupted();
				assertThat(!waits || interrupted).as("interrupted in call %d", round).isTrue();
				outer.close();
				while (next.get() != null) {
					Thread.onSpinWait();
				}
				assertThat(Thread.interrupted()).as("interrupted after call %d", round).isFalse();
			}
		});
		while (!caller.isDone()) {
			Term contended = next.get();
			if (contended != null) {
				lose(contended);
				next.set(null);
			}
		}
		caller.get(10, TimeUnit.SECONDS);
	}

	@Test
	void detachedCallLeavesItsThreadAlone() {
		GatedCall call = enter(this.term);
		call.detach(null);
		assertThat(WorkScope.find(Leadership.class)).isNull();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.term.calls().count()).isEqualTo(1);
	}

	@Test
	void detachedCallMayBeEndedByAnyThread() throws Exception {
		GatedCall call = enter(this.term);
		call.detach(null);
		this.term.calls().close();
		Term other = term("others", this.clock);
		GatedCall next = enter(other);
		this.worker.submit(call::close).get(10, TimeUnit.SECONDS);
		assertThat(this.term.calls().drained()).isDone();
		call.close();
		assertThat(WorkScope.find(Leadership.class)).isSameAs(other);
		next.close();
	}

	@Test
	void detachedCallIsToldOfLossOnce() {
		List<String> told = new ArrayList<>();
		GatedCall call = enter(this.term);
		call.detach(() -> told.add("lost"));
		lose(this.term);
		assertThat(told).as("in the thread that lost").isEmpty();
		lose(this.term);
		this.lossExecutor.pump();
		assertThat(told).containsExactly("lost");
	}

	@Test
	void callThatIsDetachedAfterTheLossIsToldAtOnce() {
		List<String> told = new ArrayList<>();
		GatedCall call = enter(this.term);
		lose(this.term);
		call.detach(() -> told.add("lost"));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.lossExecutor.pump();
		assertThat(told).containsExactly("lost");
	}

	@Test
	void detachedCallThatHasEndedIsNotTold() {
		GatedCall call = enter(this.term);
		call.detach(() -> assertThat(false).isTrue());
		call.close();
		lose(this.term);
		assertThat(this.lossExecutor.isIdle()).isTrue();
	}

	private static GatedCall enter(Term term) {
		return term.enter(true);
	}

	private static void lose(Term term) {
		term.end(LossReason.EXPIRED);
		term.calls().lose();
	}

	private Term term(String election, EngineClock clock) {
		return new Term(election, election, "me", 1, new Deadline(clock.now().plus(Duration.ofSeconds(10)), clock),
				clock.now().plus(Duration.ofSeconds(10)), clock, this.lossExecutor, EngineObservers.NONE);
	}

}
