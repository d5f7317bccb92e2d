package io.github.leaderelection.job;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

/**
 * What is handed to the scheduler of one job, and what becomes of its calls on their way
 * to the gate. One that does not come there is not repeated before another one has come,
 * or a term has begun.
 */
final class Launches {

	private static final EngineLog log = EngineLog.of(Launches.class);

	/** What was launched and did not begin is launched again, but not at once. */
	private static final Duration BACKOFF = Duration.ofSeconds(1);

	private final JobKey key;

	private final RunClock clock;

	private final Problem strayed = new Problem();

	private final Problem rejection = new Problem();

	private @Nullable RunLauncher launcher;

	/** What was launched, or kept back, and has not come to the gate. */
	private @Nullable Future<?> missing;

	/** Since when, by the monotonic clock. */
	private long missingSince;

	/** Nothing is launched before this monotonic time. */
	private long launchAfter;

	Launches(JobKey key, RunClock clock) {
		this.key = key;
		this.clock = clock;
		this.launchAfter = clock.nanos();
	}

	/** Another scheduler takes over, or none. */
	synchronized void use(@Nullable RunLauncher launcher) {
		this.launcher = launcher;
		forgive();
	}

	/**
	 * A call has come to the gate, or a term begins: what failed before delays nothing
	 * any more.
	 */
	synchronized void forgive() {
		this.missing = null;
		this.launchAfter = this.clock.nanos();
	}

	/**
	 * A call has come to the gate, which may have refused it.
	 * @return whether it was missing
	 */
	synchronized boolean arrived() {
		boolean missed = this.missing != null;
		this.missing = null;
		return missed;
	}

	/** Launch nothing for a while, unless a call comes to the gate. */
	synchronized void backOff() {
		this.launchAfter = this.clock.nanos() + BACKOFF.toNanos();
	}

	/** Return how long nothing is launched, {@code null} if it is. */
	synchronized @Nullable Duration delay() {
		long left = this.launchAfter - this.clock.nanos();
		return (left > 0) ? Duration.ofNanos(left) : null;
	}

	/** Return whether a run that is due can be launched. */
	synchronized boolean isReady() {
		return this.missing == null && delay() == null;
	}

	/** Return whether the scheduler has still to make the call that was launched. */
	synchronized boolean isPending() {
		return this.missing != null && !this.missing.isDone();
	}

	/**
	 * Return whether the last call by the scheduler has not come to the gate: a lock in
	 * front of the scheduler, for one, was not free.
	 */
	synchronized boolean isKeptBack() {
		return this.missing != null && this.missing.isDone()
				&& this.clock.nanos() - this.missingSince >= JobSchedule.GRACE.toNanos();
	}

	/** Have the scheduler call the job once more. */
	void launch(PlannedRun planned) {
		CompletableFuture<Void> launching = new CompletableFuture<>();
		RunLauncher scheduler;
		synchronized (this) {
			backOff();
			scheduler = this.launcher;
			this.missing = launching;
			this.missingSince = this.clock.nanos();
		}
		Future<?> launched = null;
		try {
			launched = (scheduler != null) ? scheduler.launch(planned) : null;
			this.rejection.ends();
		}
		finally {
			synchronized (this) {
				// Unless it has come to the gate already.
				this.missing = (this.missing == launching) ? launched : this.missing;
			}
		}
	}

	/** It is tried again, but not at once. */
	void rejected(RuntimeException failure) {
		backOff();
		if (this.rejection.begins("rejected")) {
			log.tell(failure, (logger, cause) -> logger
				.warn("A run of job '{}' is due and can't be started; it is tried again each second", this.key, cause));
		}
	}

	/** A call by the scheduler has not come to the gate. */
	void keptBack() {
		synchronized (this) {
			this.missing = CompletableFuture.completedFuture(null);
			this.missingSince = this.clock.nanos();
		}
		tellStrayed();
	}

	/**
	 * A call by the scheduler has not come to the gate in the thread of the scheduler.
	 */
	void tellStrayed() {
		if (this.strayed.begins("strayed")) {
			log.tell((logger) -> logger
				.warn("A scheduled call of job '{}' did not come to the gate in the thread of its "
						+ "scheduler. If it was kept back by a lock, an aspect or a proxy, it is not repeated before "
						+ "the next fire time. If it was moved to another thread, it is recorded only if it comes "
						+ "within 5 s. Let that come after the gate", this.key));
		}
	}

}
