package io.github.leaderelection.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * The lines of one process as {@link LockService} has them, for whoever does not block
 * but takes part in a simulation.
 */
public final class SimulatedLocks {

	private final Map<String, LockLine> lines = new HashMap<>();

	private final List<Waiter> waiters = new ArrayList<>();

	private final Executor threads;

	private final LineFlaw flaw;

	private final Consumer<Candidate> register;

	private final Consumer<Candidate> unregister;

	private final Consumer<Leadership> giveUp;

	/**
	 * Create lines in which nobody waits.
	 * @param threads tells those who wait
	 */
	public SimulatedLocks(Consumer<Candidate> register, Consumer<Candidate> unregister, Consumer<Leadership> giveUp,
			Executor threads, LineFlaw flaw) {
		this.register = register;
		this.unregister = unregister;
		this.giveUp = giveUp;
		this.threads = threads;
		this.flaw = flaw;
	}

	/** Stand in line. What throws leaves nobody there. */
	public CompletableFuture<HeldLock> join(String name, boolean patient) {
		Waiter waiter = new Waiter(patient, this.threads);
		if (!this.lines.computeIfAbsent(name, this::line).join(waiter)) {
			throw new IllegalStateException("A line that has ended is kept");
		}
		this.waiters.add(waiter);
		waiter.whenComplete((lock, failure) -> {
			this.waiters.remove(waiter);
			leave(name, waiter);
		});
		return waiter;
	}

	private void leave(String name, Waiter waiter) {
		LockLine line = this.lines.get(name);
		if (line != null) {
			line.leave(waiter);
		}
	}

	/** Let nobody wait any more. */
	public void abandon() {
		List.copyOf(this.lines.values()).forEach((line) -> line.abandon(new IllegalStateException("shut down")));
	}

	/** Return whether nothing is kept. */
	public boolean isIdle() {
		return this.lines.isEmpty();
	}

	private LockLine line(String name) {
		BrokenElections elections = new BrokenElections();
		LockLine line = new LockLine(name, elections, () -> this.lines.remove(name)) {

			@Override
			void elected(Leadership term) {
				super.elected(term);
				if (SimulatedLocks.this.flaw == LineFlaw.SERVES_TWO && waiting() > 0) {
					super.elected(term);
				}
			}

			@Override
			void defeated(Leadership term) {
				boolean lost = term.lossReason().orElse(LossReason.RESIGNED) != LossReason.RESIGNED;
				if (SimulatedLocks.this.flaw == LineFlaw.FORGETS_WHO_WAITS && lost) {
					List.copyOf(SimulatedLocks.this.waiters).forEach(this::leave);
				}
				super.defeated(term);
			}

		};
		elections.line = line;
		return line;
	}

	private final class BrokenElections implements LineElections {

		private LockLine line;

		@Override
		public void register(Candidate candidate) {
			SimulatedLocks.this.register.accept(candidate);
		}

		@Override
		public void unregister(Candidate candidate) {
			if (SimulatedLocks.this.flaw != LineFlaw.STAYS_WHEN_EMPTY) {
				SimulatedLocks.this.unregister.accept(candidate);
			}
		}

		@Override
		public void giveUp(Leadership term) {
			if (SimulatedLocks.this.flaw == LineFlaw.KEEPS_THE_TERM && this.line.waiting() > 0) {
				this.line.elected(term);
			}
			else if (SimulatedLocks.this.flaw != LineFlaw.GIVES_NOTHING_UP) {
				SimulatedLocks.this.giveUp.accept(term);
			}
		}

	}

}
