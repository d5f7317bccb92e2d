package io.github.leaderelection.engine;

import java.util.List;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Application threads work, resign and close while the loop, the timer and another
 * candidate run. Time stands still, so leadership changes only by handover: a call inside
 * the gate holds the lease all the time, terms never go back, and a resigned lease is
 * released in the end. Uses stress mode: there are too many interleavings to check them
 * all.
 */
@Tag("deep")
@Tag("lincheck")
@ExtendWith(SilentLog.class)
class ElectionRegistryConcurrencyTests {

	private final StressOptions options = new StressOptions().iterations(40)
		.invocationsPerIteration(500)
		.threads(3)
		.actorsPerThread(3)
		.actorsBefore(0)
		.actorsAfter(0);

	@Test
	void callInsideTheGateHoldsTheLease() {
		this.options.check(Calls.class);
	}

	@Test
	void workOutsideTheGateIsCaught() {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> this.options.iterations(100).minimizeFailedScenario(false).check(UngatedCalls.class))
			.withMessageContaining("inside without the lease");
	}

	/** The operations of the threads of one process, and of another candidate. */
	public static class Calls {

		private static final String FINE = "fine";

		private static final int LOOKS = 50;

		private final ManualClock clock = new ManualClock();

		private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

		private final MemberNode me = new MemberNode("me", this.store, this.clock);

		private final MemberNode other = new MemberNode("other", this.store, this.clock);

		private volatile long highest;

		private volatile boolean resigned;

		public Calls() {
			this.me.elections().join("x");
			turn(this.me);
			this.other.elections().join("x");
			turn(this.other);
		}

		@Operation
		public String work() {
			Term term = this.me.term("x");
			if (term == null) {
				return FINE;
			}
			long before = this.highest;
			if (term.term() < before) {
				return "terms went back";
			}
			this.highest = term.term();
			return workUnder(term);
		}

		String workUnder(Term term) {
			try (GatedCall call = term.enter(true)) {
				return (call != null) ? lookAround(term) : FINE;
			}
		}

		final String lookAround(Term term) {
			for (int look = 0; look < LOOKS; look++) {
				Lease lease = this.store.read(List.of("x"), List.of(), MemberNode.TTL).leases().get("x");
				if (!lease.isHeldBy("me") || lease.term() != term.term() || !term.isHeld()) {
					return "inside without the lease";
				}
				Thread.yield();
			}
			return Thread.currentThread().isInterrupted() ? "interrupted" : FINE;
		}

		@Operation
		public void resign() {
			this.me.elections().resign("x", null);
			this.resigned = true;
		}

		@Operation
		public void close() {
			this.me.elections().close();
			this.resigned = true;
		}

		@Operation(nonParallelGroup = "loop")
		public void loop() {
			turn(this.me);
		}

		@Operation(nonParallelGroup = "other")
		public void otherLoop() {
			turn(this.other);
		}

		@Operation(nonParallelGroup = "timer")
		public void timer() {
			this.me.loop().tick(this.clock.now());
			this.me.pump();
		}

		/** Make all calls that are due, run the callbacks, and make further calls. */
		private static void turn(MemberNode node) {
			for (int round = 0; round < 2; round++) {
				for (StoreCall call = node.poll(); call != null; call = node.poll()) {
					node.perform(call);
				}
				node.pump();
			}
		}

		@Validate
		public void validate() {
			turn(this.me);
			this.other.answers().pushedUnclear();
			turn(this.other);
			if (this.resigned == this.me.leads("x") || this.resigned != this.other.leads("x")) {
				throw new IllegalStateException("Resigned: %s, leads: %s, other leads: %s".formatted(this.resigned,
						this.me.leads("x"), this.other.leads("x")));
			}
		}

	}

	/** Work that asks whether its term is held, and does not enter the gate. */
	public static class UngatedCalls extends Calls {

		@Override
		String workUnder(Term term) {
			return term.isHeld() ? lookAround(term) : "fine";
		}

	}

}
