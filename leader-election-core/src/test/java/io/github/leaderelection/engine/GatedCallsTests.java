package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
		assertThat(GatedCall.currentLeadership()).isNull();
		assertThat(interrupted).isFalse();
	}

	@Test
	void letsCallsInWhileTheTermIsHeld() {
		long call = enter(this.term);
		assertThat(GatedCall.leadership(call)).isSameAs(this.term);
		assertThat(this.term.calls().count()).isEqualTo(1);
		GatedCall.end(call);
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void letsNoCallInFromTheDeadlineOn() {
		this.clock.advance(10_000);
		assertThat(enter(this.term)).isEqualTo(GatedCall.REFUSED);
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void letsNoCallInOnceClosedThoughTheTermIsHeld() {
		this.term.calls().close();
		assertThat(this.term.isHeld()).isTrue();
		assertThat(enter(this.term)).isEqualTo(GatedCall.REFUSED);
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
		long outer = enter(this.term);
		long inner = enter(this.term);
		this.term.calls().close();
		GatedCall.end(inner);
		assertThat(this.term.calls().drained()).isNotDone();
		GatedCall.end(outer);
		assertThat(this.term.calls().drained()).isDone();
	}

	@Test
	void isNotDrainedByCallThatEndsBeforeItIsClosed() {
		GatedCall.end(enter(this.term));
		assertThat(this.term.calls().drained()).isNotDone();
	}

	@Test
	void endingTwiceIsEndingOnce() {
		long first = enter(this.term);
		GatedCall.end(first);
		long second = enter(this.term);
		GatedCall.end(first);
		this.term.calls().close();
		assertThat(this.term.calls().count()).isEqualTo(1);
		assertThat(this.term.calls().drained()).isNotDone();
		assertThat(GatedCall.currentLeadership()).isSameAs(this.term);
		GatedCall.end(second);
	}

	@Test
	void endingInThreadThatHasNotEnteredHasNoEffect() throws Exception {
		long call = enter(this.term);
		this.worker.submit(() -> {
			long other = enter(this.term);
			GatedCall.end(call);
			GatedCall.end(other);
		}).get(10, TimeUnit.SECONDS);
		assertThat(this.term.calls().count()).isEqualTo(1);
		GatedCall.end(call);
	}

	@Test
	void ticketIsGoodForOneCallOnly() {
		long spent = enter(this.term);
		GatedCall.end(spent);
		assertThatIllegalStateException().isThrownBy(() -> GatedCall.leadership(spent));
		assertThatIllegalStateException().isThrownBy(() -> GatedCall.detach(spent, null));
		assertThatIllegalStateException().isThrownBy(() -> GatedCall.leadership(GatedCall.REFUSED));
		Set<Long> tickets = new HashSet<>();
		for (int i = 0; i < 1_000; i++) {
			Term each = (i % 3 != 0) ? this.term : term("others", this.clock);
			long ticket = enter(each);
			assertThat(tickets.add(ticket)).isTrue();
			GatedCall.end(ticket);
		}
	}

	@Test
	void endOfCallThatWasDetachedIsLeftToWhoeverHasIt() {
		long call = enter(this.term);
		DetachedCall detached = GatedCall.detach(call, null);
		GatedCall.end(call);
		assertThat(this.term.calls().count()).isEqualTo(1);
		detached.end();
		assertThat(this.term.calls().count()).isZero();
	}

	@Test
	void callThatEndsEndsThoseInsideItThatTheThreadHasLeft() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long between = enter(this.term);
		long inner = enter(other);
		long innermost = enter(this.term);
		GatedCall.end(between);
		assertThat(GatedCall.currentLeadership()).isSameAs(this.term);
		assertThat(this.term.calls().count()).isEqualTo(1);
		assertThat(other.calls().count()).isZero();
		GatedCall.end(innermost);
		GatedCall.end(inner);
		assertThat(this.term.calls().count()).isEqualTo(1);
		GatedCall.end(outer);
		assertThat(this.term.calls().count()).isZero();
		assertThat(GatedCall.currentLeadership()).isNull();
	}

	@Test
	void callThatEndsOnceItsTermIsLostEndsThoseInsideItToo() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		enter(other);
		enter(this.term);
		lose(this.term);
		lose(other);
		this.term.calls().close();
		other.calls().close();
		GatedCall.end(outer);
		assertThat(this.term.calls().drained()).isDone();
		assertThat(other.calls().drained()).isDone();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void callThatIsDetachedLeavesNoneInsideIt() {
		long outer = enter(this.term);
		enter(this.term);
		DetachedCall detached = GatedCall.detach(outer, null);
		assertThat(this.term.calls().count()).isEqualTo(1);
		detached.end();
		assertThat(this.term.calls().count()).isZero();
		assertThat(GatedCall.currentLeadership()).isNull();
	}

	@Test
	void letsInAsManyCallsAsThereAre() {
		List<Long> calls = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			calls.add(0, enter(this.term));
		}
		assertThat(calls).doesNotHaveDuplicates();
		assertThat(this.term.calls().count()).isEqualTo(200);
		this.term.calls().close();
		assertThat(this.term.calls().count()).isEqualTo(200);
		lose(this.term);
		for (long call : calls) {
			assertThat(this.term.calls().drained()).isNotDone();
			assertThat(Thread.interrupted()).isTrue();
			GatedCall.end(call);
		}
		assertThat(this.term.calls().drained()).isDone();
	}

	@Test
	void letsNoCallInOnceLost() {
		this.term.calls().lose();
		assertThat(enter(this.term)).isEqualTo(GatedCall.REFUSED);
		assertThat(this.term.calls().drained()).isNotDone();
	}

	@Test
	void outerCallThatIsRemindedOfItsLossBeforeItIsToldLeavesNoInterrupt() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long inner = enter(other);
		lose(other);
		this.term.end(LossReason.EXPIRED);
		GatedCall.end(inner);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		GatedCall.end(outer);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void callThatIsDetachedWhenItWasRemindedOfItsLossLeavesNoInterrupt() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long inner = enter(other);
		lose(other);
		this.term.end(LossReason.EXPIRED);
		GatedCall.end(inner);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		DetachedCall detached = GatedCall.detach(outer, null);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		detached.end();
	}

	@Test
	void innermostCallIsTheCurrentOne() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long inner = enter(other);
		assertThat(GatedCall.currentLeadership()).isSameAs(other);
		GatedCall.end(inner);
		assertThat(GatedCall.currentLeadership()).isSameAs(this.term);
		GatedCall.end(outer);
		assertThat(GatedCall.currentLeadership()).isNull();
	}

	@Test
	void refusedCallIsNotTheCurrentOne() {
		long outer = enter(this.term);
		Term other = term("others", this.clock);
		other.end(LossReason.EXPIRED);
		assertThat(enter(other)).isEqualTo(GatedCall.REFUSED);
		assertThat(GatedCall.currentLeadership()).isSameAs(this.term);
		GatedCall.end(outer);
	}

	@Test
	void lossInterruptsTheThreadInsideTheCall() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		Future<?> interrupted = this.worker.submit(() -> {
			long call = enter(this.term);
			entered.countDown();
			try {
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> new CountDownLatch(1).await());
			}
			finally {
				GatedCall.end(call);
			}
		});
		entered.await();
		lose(this.term);
		interrupted.get(10, TimeUnit.SECONDS);
	}

	@Test
	void lossDoesNotInterruptCallThatDidNotWantIt() {
		long call = this.term.enter(false);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		GatedCall.end(call);
	}

	@Test
	void lossDoesNotInterruptThreadThatHasLeft() {
		GatedCall.end(enter(this.term));
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfCallDoesNotLeakIntoWhatFollowsOnTheThread() {
		long call = enter(this.term);
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		GatedCall.end(call);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatWasNotMeantForTheCallIsKept() {
		long call = enter(this.term);
		Thread.currentThread().interrupt();
		GatedCall.end(call);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptOfInnerCallDoesNotLeakIntoTheOuterWhoseTermIsHeld() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long inner = enter(other);
		lose(other);
		GatedCall.end(inner);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		GatedCall.end(outer);
	}

	@Test
	void outerCallOfTheSameTermIsInterruptedTooThoughTheInnerHasSwallowedIt() {
		long outer = enter(this.term);
		long inner = enter(this.term);
		lose(this.term);
		assertThat(Thread.interrupted()).isTrue();
		GatedCall.end(inner);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		GatedCall.end(outer);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void outerCallKeepsItsInterruptPastOneThatDoesNotWantAny() {
		Term other = term("others", this.clock);
		long outer = enter(this.term);
		long between = this.term.enter(false);
		long inner = enter(other);
		lose(this.term);
		lose(other);
		GatedCall.end(inner);
		GatedCall.end(between);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		GatedCall.end(outer);
	}

	@Test
	void outerCallThatDoesNotWantAnyIsNotLeftTheInterruptOfTheInner() {
		long outer = this.term.enter(false);
		long inner = enter(this.term);
		lose(this.term);
		GatedCall.end(inner);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		GatedCall.end(outer);
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
		long outer = enter(slow[0]);
		long inner = enter(this.term);
		lose(this.term);
		armed.set(true);
		GatedCall.end(inner);
		lose(slow[0]);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		GatedCall.end(outer);
	}

	@Test
	void detachedCallLeavesItsThreadAlone() {
		DetachedCall call = GatedCall.detach(enter(this.term), null);
		assertThat(GatedCall.currentLeadership()).isNull();
		lose(this.term);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.term.calls().count()).isEqualTo(1);
	}

	@Test
	void detachedCallMayBeEndedByAnyThread() throws Exception {
		DetachedCall call = GatedCall.detach(enter(this.term), null);
		this.term.calls().close();
		Term other = term("others", this.clock);
		long next = enter(other);
		this.worker.submit(call::end).get(10, TimeUnit.SECONDS);
		assertThat(this.term.calls().drained()).isDone();
		call.end();
		assertThat(GatedCall.currentLeadership()).isSameAs(other);
		GatedCall.end(next);
	}

	@Test
	void detachedCallIsToldOfLossOnce() {
		List<String> told = new ArrayList<>();
		DetachedCall call = GatedCall.detach(enter(this.term), () -> told.add("lost"));
		lose(this.term);
		assertThat(told).as("in the thread that lost").isEmpty();
		lose(this.term);
		this.lossExecutor.pump();
		assertThat(told).containsExactly("lost");
	}

	@Test
	void callThatIsDetachedAfterTheLossIsToldAtOnce() {
		List<String> told = new ArrayList<>();
		long call = enter(this.term);
		lose(this.term);
		GatedCall.detach(call, () -> told.add("lost"));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.lossExecutor.pump();
		assertThat(told).containsExactly("lost");
	}

	@Test
	void detachedCallThatHasEndedIsNotTold() {
		DetachedCall call = GatedCall.detach(enter(this.term), () -> assertThat(false).isTrue());
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
				long call = enter(contended);
				next.set(contended);
				for (int i = 0; i < round % 64; i++) {
					Thread.onSpinWait();
				}
				GatedCall.end(call);
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
		long call = enter(contended);
		while (call != GatedCall.REFUSED) {
			assertThat(drained).as("drained while a call is in flight").isFalse();
			GatedCall.end(call);
			assertThat(Thread.currentThread().isInterrupted()).as("interrupted after the call").isFalse();
			call = enter(contended);
		}
	}

	private static long enter(Term term) {
		return term.enter(true);
	}

	private static void lose(Term term) {
		term.end(LossReason.EXPIRED);
		term.calls().lose();
	}

	private Term term(String election, EngineClock clock) {
		return new Term(election, election, "me", 1, new Belief(1, clock.now().plus(Duration.ofSeconds(10)), clock),
				clock, this.lossExecutor, EngineObservers.NONE);
	}

}
