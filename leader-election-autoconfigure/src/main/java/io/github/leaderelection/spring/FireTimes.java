package io.github.leaderelection.spring;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Queue;

import io.github.leaderelection.job.PlannedRun;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

/**
 * The fire times that a trigger has named and for which no run has begun yet. There is
 * one, as a rule. Where runs are handed to threads of their own, as virtual ones, the
 * trigger may have named the next before the run of the last begins; and a run that was
 * handed over and never began leaves its fire time behind.
 */
final class FireTimes implements Trigger {

	/** How early schedulers run things, by the clock that tells when to run them. */
	private static final Duration EARLY = Duration.ofSeconds(1);

	private final Trigger delegate;

	// Guarded by this

	private final Queue<Instant> named = new ArrayDeque<>();

	private @Nullable Instant last;

	private @Nullable Clock clock;

	FireTimes(Trigger delegate) {
		this.delegate = delegate;
	}

	@Override
	public @Nullable Instant nextExecution(TriggerContext triggerContext) {
		Instant next = this.delegate.nextExecution(triggerContext);
		if (next != null) {
			add(next.truncatedTo(ChronoUnit.MILLIS), triggerContext.getClock());
		}
		return next;
	}

	private synchronized void add(Instant next, Clock clock) {
		this.named.add(next);
		this.clock = clock;
	}

	/**
	 * Take the fire time of a run that begins: the last one that has come. Where that was
	 * taken before, two runs have begun late; the second is for the same one again, which
	 * nobody starts twice.
	 */
	synchronized PlannedRun take() {
		Instant now = (this.clock != null) ? this.clock.instant() : Instant.MIN;
		Instant next = this.named.peek();
		if (next != null && (this.last == null || !next.isAfter(now.plus(EARLY)))) {
			do {
				this.last = this.named.remove();
				next = this.named.peek();
			}
			while (next != null && !next.isAfter(now));
		}
		return (this.last != null) ? PlannedRun.at(this.last) : PlannedRun.tick();
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
