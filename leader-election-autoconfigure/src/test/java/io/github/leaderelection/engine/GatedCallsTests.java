package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
		GatedCall left = GatedCalls.CURRENT.get();
		GatedCalls.CURRENT.remove();
		boolean interrupted = Thread.interrupted();
		assertThat(left).isNull();
		assertThat(interrupted).isFalse();
	}

	@Test
	void letsCallsInWhileTheTermIsHeld() {
		GatedCall call = enter(this.term);
		assertThat(call.leadership()).isSameAs(this.term);
		assertThat(this.term.calls().count()).isEqualTo(1);
		call.end();
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
	void isDrainedAtOnceWhenClosedWithNoCallInFlight() {
		assertThat(this.term.calls().drained()).isNotDone();
		this.term.calls().close();
		assertThat(this.term.calls().drained()).isDone();
	}

	@Test
	void isDrainedWhenTheLastCallInFlightEnds() {
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(this.term);
		this.term.calls().close();
		inner.end();
		assertThat(this.term.calls().drained()).isNotDone();
		outer.end();
		assertThat(this.term.calls().drained()).isDone();
	}

	@Test
	void isNotDrainedByCallThatEndsBeforeItIsClosed() {
		enter(this.term).end();
		assertThat(this.term.calls().drained()).isNotDone();
	}

	@Test
	void endingTwiceIsEndingOnce() {
		GatedCall first = enter(this.term);
		first.end();
		GatedCall second = enter(this.term);
		first.end();
		this.term.calls().close();
		assertThat(this.term.calls().count()).isEqualTo(1);
		assertThat(this.term.calls().drained()).isNotDone();
		assertThat(GatedCalls.CURRENT.get()).isSameAs(second);
		second.end();
	}

	@Test
	void innermostCallIsTheCurrentOne() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(other);
		assertThat(GatedCalls.CURRENT.get()).isSameAs(inner);
		inner.end();
		assertThat(GatedCalls.CURRENT.get()).isSameAs(outer);
		outer.end();
		assertThat(GatedCalls.CURRENT.get()).isNull();
	}

	@Test
	void refusedCallIsNotTheCurrentOne() {
		GatedCall outer = enter(this.term);
		Term other = term("others", this.clock);
		other.end(LossReason.EXPIRED);
		assertThat(enter(other)).isNull();
		assertThat(GatedCalls.CURRENT.get()).isSameAs(outer);
		outer.end();
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
				call.end();
			}
		});
		entered.await();
		lose(this.term);
		interrupted.get(10, TimeUnit.SECONDS);
	}

	@Test
	void lossDoesNotInterruptCallThatDidNotWantIt() {
		GatedCall call = this.term.calls().enter(this.term, false);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		call.end();
	}

	@Test
	void lossDoesNotInterruptThreadThatHasLeft() {
		enter(this.term).end();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfCallDoesNotLeakIntoWhatFollowsOnTheThread() {
		GatedCall call = enter(this.term);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		call.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatWasNotMeantForTheCallIsKept() {
		GatedCall call = enter(this.term);
		Thread.currentThread().interrupt();
		call.end();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptOfInnerCallDoesNotLeakIntoTheOuterWhoseTermIsHeld() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(other);
		lose(other);
		inner.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.end();
	}

	@Test
	void outerCallOfTheSameTermIsInterruptedTooThoughTheInnerHasSwallowedIt() {
		GatedCall outer = enter(this.term);
		GatedCall inner = enter(this.term);
		lose(this.term);
		assertThat(Thread.interrupted()).isTrue();
		inner.end();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void outerCallKeepsItsInterruptPastOneThatDoesNotWantAny() {
		Term other = term("others", this.clock);
		GatedCall outer = enter(this.term);
		GatedCall between = this.term.calls().enter(this.term, false);
		GatedCall inner = enter(other);
		lose(this.term);
		lose(other);
		inner.end();
		between.end();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.end();
	}

	@Test
	void outerCallThatDoesNotWantAnyIsNotLeftTheInterruptOfTheInner() {
		GatedCall outer = this.term.calls().enter(this.term, false);
		GatedCall inner = enter(this.term);
		lose(this.term);
		inner.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		outer.end();
	}

	@Test
	void endOfInnerCallDoesNotSwallowAnInterruptThatTheOuterGetsMeanwhile() {
		AtomicBoolean armed = new AtomicBoolean();
		Term[] slow = new Term[1];
		EngineClock meddling = new EngineClock() {

			@Override
			public long nanos() {
				return GatedCallsTests.this.clock.nanos();
			}

			@Override
			public long millis() {
				if (armed.compareAndSet(true, false)) {
					// While another thread asks whether it is held: the answer is yes.
					lose(slow[0]);
				}
				return GatedCallsTests.this.clock.millis();
			}

		};
		slow[0] = term("slow", meddling);
		GatedCall outer = enter(slow[0]);
		GatedCall inner = enter(this.term);
		lose(this.term);
		armed.set(true);
		inner.end();
		lose(slow[0]);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.end();
	}

	@Test
	void detachedCallLeavesItsThreadAlone() {
		GatedCall call = enter(this.term);
		call.detach(null);
		assertThat(GatedCalls.CURRENT.get()).isNull();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.term.calls().count()).isEqualTo(1);
	}

	@Test
	void detachedCallMayBeEndedByAnyThread() throws Exception {
		GatedCall call = enter(this.term);
		call.detach(null);
		this.term.calls().close();
		GatedCall next = enter(term("others", this.clock));
		this.worker.submit(call::end).get(10, TimeUnit.SECONDS);
		assertThat(this.term.calls().drained()).isDone();
		call.end();
		assertThat(GatedCalls.CURRENT.get()).isSameAs(next);
		next.end();
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
		call.end();
		lose(this.term);
		assertThat(this.lossExecutor.isIdle()).isTrue();
	}

	@Test
	void neverLetsCallInAfterItHasDrainedAndLeaksNoInterrupt() throws Exception {
		long seed = System.nanoTime();
		LoggerFactory.getLogger(GatedCallsTests.class).info("seed={}", seed);
		Random random = new Random(seed);
		int threads = 6;
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			for (int round = 0; round < 400; round++) {
				race(pool, threads, random.nextInt(20_000), random.nextInt(3));
			}
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void neverInterruptsThreadThatLeavesAtTheSameTime() throws Exception {
		int rounds = 20_000;
		AtomicReference<Term> next = new AtomicReference<>();
		Future<?> caller = this.worker.submit(() -> {
			for (int round = 0; round < rounds; round++) {
				Term contended = term("contended", this.clock);
				GatedCall call = enter(contended);
				next.set(contended);
				for (int i = 0; i < round % 64; i++) {
					Thread.onSpinWait();
				}
				call.end();
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

	private void race(ExecutorService pool, int threads, int spins, int ending) throws Exception {
		Term contended = term("contended", this.clock);
		AtomicBoolean drained = new AtomicBoolean();
		CyclicBarrier start = new CyclicBarrier(threads + 1);
		List<Future<?>> calls = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			calls.add(pool.submit(() -> callUntilRefused(contended, drained, start)));
		}
		start.await();
		for (int i = 0; i < spins; i++) {
			Thread.onSpinWait();
		}
		if (ending > 0) {
			contended.end(LossReason.EXPIRED);
			contended.calls().lose();
		}
		contended.calls().close();
		contended.calls().drained().get(10, TimeUnit.SECONDS);
		drained.set(true);
		assertThat(contended.calls().count()).isZero();
		for (Future<?> call : calls) {
			call.get(10, TimeUnit.SECONDS);
		}
	}

	private static void callUntilRefused(Term contended, AtomicBoolean drained, CyclicBarrier start) {
		try {
			start.await();
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
		GatedCall call = enter(contended);
		while (call != null) {
			assertThat(drained).as("drained while a call is in flight").isFalse();
			call.end();
			assertThat(Thread.currentThread().isInterrupted()).as("interrupted after the call").isFalse();
			call = enter(contended);
		}
	}

	private static GatedCall enter(Term term) {
		return term.calls().enter(term, true);
	}

	private static void lose(Term term) {
		term.end(LossReason.EXPIRED);
		term.calls().lose();
	}

	private Term term(String election, EngineClock clock) {
		return new Term(election, "me", 1, clock.now().plus(Duration.ofSeconds(10)), clock, this.lossExecutor,
				EngineObservers.NONE);
	}

}
