package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.GatedCall;

/**
 * The lines of waiters of one process, as in {@link LockService}, for users in a
 * simulation, which can't block.
 */
public final class SimulatedLocks {

	private final Map<String, LockLine> lines = new HashMap<>();

	private final List<Waiter> waiters = new ArrayList<>();

	private final ElectionAccess elections;

	private final Executor threads;

	private final LineFlaw flaw;

	/**
	 * Create lines in which nobody waits.
	 * @param afterMargin runs an action once the safety margin has passed
	 * @param threads notifies waiters
	 */
	public SimulatedLocks(Consumer<Candidate> register, Consumer<Candidate> unregister,
			Function<String, GatedCall> enter, Consumer<Leadership> giveUp, Consumer<Runnable> afterMargin,
			Executor threads, LineFlaw flaw) {
		this.threads = threads;
		this.flaw = flaw;
		this.elections = new ElectionAccess(register, (flaw == LineFlaw.STAYS_WHEN_EMPTY) ? (candidate) -> {
		} : unregister, enter, (term) -> giveUp(term, giveUp), (name) -> Optional.empty(), switch (flaw) {
			case GIVES_NO_MARGIN -> Runnable::run;
			case STAYS_WHILE_OPEN -> (action) -> {
			};
			default -> afterMargin;
		});
	}

	private void giveUp(Leadership term, Consumer<Leadership> giveUp) {
		LockLine line = this.lines.get(term.election());
		if (this.flaw == LineFlaw.KEEPS_THE_TERM && line != null && line.waiting() > 0) {
			line.onElected(term);
		}
		else if (this.flaw != LineFlaw.GIVES_NOTHING_UP) {
			giveUp.accept(term);
		}
	}

	/** Wait in line. If this throws, nobody waits. */
	public CompletableFuture<HeldLock> join(String name, boolean patient) {
		Duration patience = patient ? Duration.ofDays(1) : Duration.ZERO;
		Waiter waiter = new Waiter(patience, Duration.ZERO, this.threads);
		if (!this.lines.computeIfAbsent(name, this::line).join(waiter)) {
			throw new IllegalStateException("A line that has ended is kept");
		}
		this.waiters.add(waiter);
		waiter.whenComplete((lock, failure) -> this.waiters.remove(waiter));
		return waiter;
	}

	/** End all waiting. */
	public void abandon() {
		List.copyOf(this.lines.values()).forEach((line) -> line.abandon(new IllegalStateException("shut down")));
	}

	/** Return whether no lines are left. */
	public boolean isIdle() {
		return this.lines.isEmpty();
	}

	private LockLine line(String name) {
		LockLine line = new LockLine(name, this.elections, EngineLog.of(LockService.class)) {

			@Override
			public void onElected(Leadership term) {
				super.onElected(term);
				if (SimulatedLocks.this.flaw == LineFlaw.SERVES_TWO && waiting() > 0) {
					super.onElected(term);
				}
			}

			@Override
			public void onDefeated(Leadership term) {
				boolean lost = term.lossReason().orElse(LossReason.RESIGNED) != LossReason.RESIGNED;
				if (SimulatedLocks.this.flaw == LineFlaw.FORGETS_WHO_WAITS && lost) {
					List.copyOf(SimulatedLocks.this.waiters).forEach(this::leave);
				}
				super.onDefeated(term);
			}

		};
		line.over().thenRun(() -> this.lines.remove(name));
		return line;
	}

}
