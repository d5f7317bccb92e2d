package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.leaderelection.engine.SimulatedStore.Flaw;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets several processes compete on a bad day: requests and answers are late or lost,
 * processes pause, crash and come back, clocks run at different rates, stop or jump. What
 * is promised is checked after every step. A failure names the seed that repeats it.
 */
class LeaderElectionInvariantTests {

	private static final int RUNS = 100;

	private static final int STEPS = 20_000;

	@Test
	void promisesAreKept() {
		long seed = System.nanoTime();
		int terms = 0;
		for (long run = seed; run < seed + RUNS; run++) {
			Day day = new Day(run, Flaw.NONE, 0.01);
			assertThat(day.live()).as("seed %d", run).isNull();
			assertThat(day.recover()).as("leaders after the faults are over, seed %d", run).isEqualTo(1);
			terms += (int) day.highestTerm;
		}
		assertThat(terms).as("terms granted in all runs").isGreaterThan(RUNS * 10);
	}

	@ParameterizedTest
	@EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
	void flawOfTheStoreIsNoticed(Flaw flaw) {
		assertThat(firstViolation(flaw, 0.01)).isNotNull();
	}

	@Test
	void clocksThatDifferByMoreThanTheMarginAreNoticed() {
		assertThat(firstViolation(Flaw.NONE, 0.3)).startsWith("I1");
	}

	private static String firstViolation(Flaw flaw, double clockError) {
		String violation = null;
		for (long seed = 0; violation == null && seed < RUNS; seed++) {
			violation = new Day(seed, flaw, clockError).live();
		}
		return violation;
	}

	/** Some processes, a store between them, and what may go wrong. */
	private static final class Day {

		private final List<SimulatedProcess> processes = new ArrayList<>();

		private final List<StoreCall> delayed = new ArrayList<>();

		private final Map<Term, SimulatedProcess> terms = new HashMap<>();

		private final SimulatedStore store;

		private final Random random;

		private final double clockError;

		private long highestTerm;

		private int started;

		Day(long seed, Flaw flaw, double clockError) {
			this.random = new Random(seed);
			this.clockError = clockError;
			this.store = new SimulatedStore(flaw);
			for (int i = 0; i < 3; i++) {
				this.processes.add(start());
			}
		}

		private SimulatedProcess start() {
			double rate = this.random.nextBoolean() ? 1 + this.clockError : 1 - this.clockError;
			return new SimulatedProcess("process-" + this.started++, this.store, rate);
		}

		/** Return what was violated, {@code null} if nothing was. */
		String live() {
			String violation = null;
			for (int step = 0; violation == null && step < STEPS; step++) {
				pass((this.random.nextInt(500) == 0) ? this.random.nextInt(3_000) : this.random.nextInt(10));
				happen(this.processes.get(this.random.nextInt(this.processes.size())));
				violation = violation();
			}
			return violation;
		}

		/** End all faults, and return how many lead some time later. */
		int recover() {
			for (int i = 0; i < 400; i++) {
				pass(50);
				this.processes.forEach(SimulatedProcess::runFaultlessly);
				assertThat(violation()).isNull();
			}
			return (int) this.processes.stream().filter((process) -> process.node().leads("jobs")).count();
		}

		private void pass(int millis) {
			this.processes.forEach((process) -> process.pass(millis));
		}

		private void happen(SimulatedProcess process) {
			switch (this.random.nextInt(1_000)) {
				case 0 -> crash(process);
				case 1 -> process.node().elections().resign("jobs");
				case 2 -> process.clock().jump(Duration.ofMillis(this.random.nextInt(20_000) - 10_000));
				case 3 -> process.clock().suspend(Duration.ofMillis(this.random.nextInt(30_000)));
				case 4, 5, 6 -> process.isolate(this.random.nextInt(15_000));
				case 7, 8, 9, 10, 11, 12, 13 -> process.enterOrLeave();
				case 14, 15, 16, 17 -> performDelayed();
				case 18, 19, 20, 21 -> loseCall(process);
				case 22, 23, 24, 25 -> process.node().elections().tick(process.clock().now());
				default -> proceed(process);
			}
		}

		private void proceed(SimulatedProcess process) {
			process.node().pump();
			if (!process.isIsolated()) {
				if (this.random.nextInt(4) == 0) {
					this.store.push(this.random).ifPresent(process.node().elections()::noticed);
				}
				process.proceed();
			}
			else if (!process.awaitsAnswer()) {
				loseCall(process);
				process.proceed();
			}
		}

		private void crash(SimulatedProcess process) {
			loseCall(process);
			this.processes.set(this.processes.indexOf(process), start());
		}

		/** Lose a request that may still arrive later, or an answer. */
		private void loseCall(SimulatedProcess process) {
			StoreCall lost = process.lose();
			if (lost != null) {
				this.delayed.add(lost);
			}
		}

		private void performDelayed() {
			if (!this.delayed.isEmpty()) {
				this.delayed.remove(this.random.nextInt(this.delayed.size())).perform();
			}
		}

		private String violation() {
			for (SimulatedProcess process : this.processes) {
				Term term = process.node().term("jobs");
				if (term != null && this.terms.putIfAbsent(term, process) == null) {
					if (term.term() <= this.highestTerm) {
						return "I2: term %d after %d".formatted(term.term(), this.highestTerm);
					}
					this.highestTerm = term.term();
				}
				if (!process.isBalanced()) {
					return "I3: " + process.events();
				}
			}
			List<Term> held = this.terms.entrySet()
				.stream()
				.filter((term) -> this.processes.contains(term.getValue()) && term.getKey().isHeld())
				.map(Map.Entry::getKey)
				.toList();
			if (held.size() > 1) {
				return "I1: " + held;
			}
			return this.store.releasedUnderWork() ? "I5: released with a call in flight" : null;
		}

	}

}
