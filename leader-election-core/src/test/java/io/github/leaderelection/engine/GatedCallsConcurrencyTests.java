package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Checks the interleavings of threads in {@link GatedCalls}: no call is inside once it is
 * drained, none gets in once it is closed, it is drained exactly once, and no interrupt
 * is left over.
 */
@Tag("deep")
@Tag("lincheck")
class GatedCallsConcurrencyTests {

	private final ModelCheckingOptions options = new ModelCheckingOptions().iterations(10)
		.invocationsPerIteration(100)
		.threads(3)
		.actorsPerThread(2)
		.actorsBefore(0)
		.actorsAfter(0);

	@Test
	void gateIsConsistentAcrossThreads() {
		this.options.check(GateCalls.class);
	}

	@Test
	void gateCheckedBeforeTheCallIsCountedIsCaught() {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> this.options.check(CarelessGateCalls.class));
	}

	@Test
	void interruptAfterTheCallHasLeftIsCaught() {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> this.options.check(LateInterruptCalls.class));
	}

	/** The operations of application threads, and of the thread that ends a term. */
	public abstract static class Calls {

		private static final int THREADS = 5;

		private final boolean[] inside = new boolean[THREADS];

		private volatile boolean closed;

		/** Return whether the calling thread was let in. */
		abstract boolean tryEnter(int thread);

		abstract void leave(int thread);

		abstract void shut();

		abstract void interruptAll();

		abstract boolean isDrained();

		abstract int timesDrained();

		/** Make a call: enter, and leave. */
		@Operation
		public String call(@Param(gen = ThreadIdGen.class) int thread) {
			boolean closedBefore = this.closed;
			if (!tryEnter(thread)) {
				return "refused";
			}
			this.inside[thread] = true;
			boolean drained = isDrained();
			this.inside[thread] = false;
			leave(thread);
			if (closedBefore || drained || Thread.interrupted()) {
				return closedBefore ? "in though closed" : drained ? "in though drained" : "interrupt left over";
			}
			return "in";
		}

		@Operation
		public void close() {
			shut();
			this.closed = true;
		}

		@Operation
		public void lose() {
			interruptAll();
		}

		@Validate
		public void validate() {
			if (timesDrained() != (this.closed ? 1 : 0)) {
				throw new IllegalStateException("Drained %d times, closed: %s".formatted(timesDrained(), this.closed));
			}
		}

	}

	/** The real gate. */
	public static class GateCalls extends Calls {

		private final AtomicInteger drained = new AtomicInteger();

		private final GatedCalls calls = TestTerm
			.term("x", 1, Duration.ofHours(1), new SuppliedClock(() -> 0, () -> 0), Runnable::run,
					this.drained::incrementAndGet)
			.calls();

		private final GatedCall[] entered = new GatedCall[Calls.THREADS];

		@Override
		boolean tryEnter(int thread) {
			this.entered[thread] = this.calls.enter(true, 0);
			return this.entered[thread] != null;
		}

		@Override
		void leave(int thread) {
			this.entered[thread].close();
		}

		/** Make a call with another one inside it, and detach it from the thread. */
		@Operation
		public String detachedCall() {
			GatedCall call = this.calls.enter(true, 0);
			if (call == null) {
				return "refused";
			}
			GatedCall inner = this.calls.enter(true, 0);
			if (inner != null) {
				inner.close();
			}
			call.detach(null);
			boolean drainedBefore = isDrained();
			boolean interrupted = Thread.interrupted();
			call.close();
			return drainedBefore ? "in though drained" : interrupted ? "interrupt left over" : "in";
		}

		@Override
		void shut() {
			this.calls.close();
		}

		@Override
		void interruptAll() {
			this.calls.lose();
		}

		@Override
		boolean isDrained() {
			return this.drained.get() > 0;
		}

		@Override
		int timesDrained() {
			return this.drained.get();
		}

	}

	/** A gate that checks whether it is open before it counts the call, not after. */
	public static class CarelessGateCalls extends Calls {

		private final AtomicInteger inside = new AtomicInteger();

		private final CompletableFuture<Void> drained = new CompletableFuture<>();

		private volatile boolean shut;

		@Override
		boolean tryEnter(int thread) {
			if (this.shut) {
				return false;
			}
			this.inside.incrementAndGet();
			return true;
		}

		@Override
		void leave(int thread) {
			this.inside.decrementAndGet();
			completeIfEmpty();
		}

		@Override
		void shut() {
			this.shut = true;
			completeIfEmpty();
		}

		private void completeIfEmpty() {
			if (this.shut && this.inside.get() == 0) {
				this.drained.complete(null);
			}
		}

		@Override
		void interruptAll() {
			// Irrelevant here.
		}

		@Override
		boolean isDrained() {
			return this.drained.isDone();
		}

		@Override
		int timesDrained() {
			return this.drained.isDone() ? 1 : 0;
		}

	}

	/**
	 * The real gate, but it interrupts threads that were inside when it checked.
	 */
	public static class LateInterruptCalls extends GateCalls {

		private final Thread[] threads = new Thread[Calls.THREADS];

		@Override
		boolean tryEnter(int thread) {
			this.threads[thread] = super.tryEnter(thread) ? Thread.currentThread() : null;
			return this.threads[thread] != null;
		}

		@Override
		void leave(int thread) {
			this.threads[thread] = null;
			super.leave(thread);
		}

		@Override
		void interruptAll() {
			for (Thread each : this.threads) {
				if (each != null) {
					each.interrupt();
				}
			}
		}

	}

}
