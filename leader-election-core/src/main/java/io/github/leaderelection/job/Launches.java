package io.github.leaderelection.job;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import io.github.leaderelection.job.PlannedRun.Launcher;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one job that are handed to its scheduler, and whether the calls of the
 * scheduler reach the gate.
 */
final class Launches {

	private static final EngineLog log = EngineLog.of(Launches.class);

	/** How long to wait before launching again a run that did not begin. */
	private static final Duration BACKOFF = Duration.ofSeconds(1);

	private final JobKey key;

	private final RunClock clock;

	/** Whether a run is in progress, or about to begin. */
	private final BooleanSupplier busy;

	/** Wakes the thread that looks after all jobs. */
	private final Runnable wake;

	private final Problem strayed = new Problem();

	private @Nullable Launcher launcher;

	/** The run that was handed to the scheduler and has not come back. */
	private @Nullable Launch present;

	/** Whether the last call by the scheduler did not reach the gate. */
	private boolean keptBack;

	/** Nothing is launched before this monotonic time. */
	private long launchAfter;

	Launches(JobKey key, RunClock clock, BooleanSupplier busy, Runnable wake) {
		this.key = key;
		this.clock = clock;
		this.busy = busy;
		this.wake = wake;
		this.launchAfter = clock.nanos();
	}

	/** Use another scheduler from now on, or none. */
	synchronized void use(@Nullable Launcher launcher) {
		this.launcher = launcher;
		this.present = null;
		forgive();
	}

	/**
	 * Forget earlier failures and their backoff: a call has reached the gate, or a term
	 * begins.
	 */
	synchronized void forgive() {
		this.keptBack = false;
		this.launchAfter = this.clock.nanos();
	}

	/** Return whether a run could be launched now. */
	synchronized boolean isReady() {
		return !this.busy.getAsBoolean() && this.present == null && delay() == null;
	}

	synchronized boolean isKeptBack() {
		return this.keptBack;
	}

	/**
	 * Have a run started on a thread of the scheduler, unless a run is in progress or was
	 * already handed over.
	 * @return whether the run was handed over
	 */
	boolean launch(PlannedRun planned) {
		Launch launch = new Launch();
		Launcher scheduler;
		synchronized (this) {
			scheduler = this.launcher;
			if (scheduler == null || this.present != null || this.busy.getAsBoolean()) {
				return false;
			}
			this.present = launch;
			backOff();
		}
		try {
			launch.task = scheduler.launch(planned, () -> ended(launch));
			return true;
		}
		catch (RuntimeException | Error ex) {
			ended(launch);
			throw ex;
		}
	}

	private void ended(Launch launch) {
		synchronized (this) {
			if (this.present == launch) {
				this.present = null;
			}
		}
		this.wake.run();
	}

	/** Launch nothing for a while, unless a call reaches the gate. */
	synchronized void backOff() {
		this.launchAfter = this.clock.nanos() + BACKOFF.toNanos();
	}

	/** Return how long the backoff still lasts, {@code null} if it is over. */
	synchronized @Nullable Duration delay() {
		long left = this.launchAfter - this.clock.nanos();
		return (left > 0) ? Duration.ofNanos(left) : null;
	}

	/**
	 * Give up a run if the scheduler is done with its task but has not called the job,
	 * for example because a lock in front of the scheduler was not free.
	 */
	void endLost() {
		Launch lost;
		synchronized (this) {
			lost = this.present;
			if (lost == null || this.busy.getAsBoolean() || !lost.isLost(this.clock.nanos())) {
				return;
			}
		}
		strayed(() -> false);
		ended(lost);
	}

	/**
	 * Note that a call by the scheduler did not reach the gate in the thread of the
	 * scheduler. If it was kept back, it is not repeated: the next one comes with the
	 * next fire time.
	 * @param elsewhere tells whether the call has reached the gate in another thread
	 */
	void strayed(BooleanSupplier elsewhere) {
		synchronized (this) {
			// Ask under the lock: a call that reaches the gate later, in another thread,
			// clears keptBack itself.
			boolean arrived = elsewhere.getAsBoolean();
			if (!arrived && this.busy.getAsBoolean()) {
				// The run in progress may be what keeps this call back.
				return;
			}
			this.keptBack = !arrived;
		}
		if (this.strayed.begins("strayed")) {
			log.tell((logger) -> logger.warn("A scheduled call of job '{}' did not reach the gate on its scheduler's "
					+ "thread. If a lock, an aspect or a proxy held it back, it is not repeated before the next "
					+ "fire time. If it was moved to another thread, it is recorded only if it reaches the gate "
					+ "within 5 s. Let the gate come first", this.key));
		}
	}

	/** A run that was handed to the scheduler. */
	private static final class Launch {

		private volatile @Nullable Future<?> task;

		private @Nullable Long doneSince;

		/** Return whether its task has been done for the grace period. */
		boolean isLost(long now) {
			Future<?> task = this.task;
			if (task == null || !task.isDone()) {
				return false;
			}
			if (this.doneSince == null) {
				this.doneSince = now;
			}
			return now - this.doneSince >= JobSchedule.GRACE.toNanos();
		}

	}

}
