package io.github.leaderelection.job;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;

import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

/**
 * What is handed to the scheduler of one job, and what becomes of its calls on their way
 * to the gate.
 */
final class Launches {

	private static final EngineLog log = EngineLog.of(Launches.class);

	/** What was launched and did not begin is launched again, but not at once. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final JobKey key;

	private final @Nullable RunLauncher launcher;

	private final RunClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	/** What was handed to the scheduler and has not come back. */
	private @Nullable Launch present;

	/** Whether the last call by the scheduler has not come to the gate. */
	private boolean keptBack;

	/** Whether somebody was told that calls do not come to the gate as they should. */
	private boolean strayedTold;

	/** The term in which nothing is launched for a while, 0 if there is none. */
	private long pausedTerm;

	private long pausedSince;

	Launches(JobKey key, @Nullable RunLauncher launcher, RunClock clock, Runnable wake) {
		this.key = key;
		this.launcher = launcher;
		this.clock = clock;
		this.wake = wake;
	}

	boolean isPossible() {
		return this.launcher != null;
	}

	synchronized boolean isPending() {
		return this.present != null;
	}

	synchronized boolean isKeptBack() {
		return this.keptBack;
	}

	/** A call has come to the gate, or a new term begins without one. */
	synchronized void notKeptBack() {
		this.keptBack = false;
	}

	/** Have a run started on a thread of the scheduler, unless another is to be. */
	boolean launch(long term, PlannedRun planned) {
		Launch launch = new Launch(term);
		synchronized (this) {
			if (this.present != null) {
				return false;
			}
			this.present = launch;
		}
		boolean taken = false;
		try {
			launch.task = Objects.requireNonNull(this.launcher).launch(planned, () -> ended(launch));
			taken = true;
		}
		finally {
			if (!taken) {
				ended(launch);
			}
		}
		return true;
	}

	private void ended(Launch launch) {
		synchronized (this) {
			if (this.present == launch) {
				this.present = null;
			}
			if (!launch.begun) {
				pause(launch.term);
			}
		}
		this.wake.run();
	}

	/** The run that goes on, or does not any more, is the one that was launched. */
	synchronized void begun(boolean begun) {
		if (this.present != null) {
			this.present.begun = begun;
		}
	}

	/**
	 * A scheduler may have done with a run that nobody has called: a lock in front of the
	 * scheduler, for one, was not free.
	 */
	void endLost() {
		Launch lost;
		synchronized (this) {
			lost = this.present;
			if (lost == null || !lost.isLost(this.clock.nanos())) {
				return;
			}
		}
		strayed(false);
		ended(lost);
	}

	/**
	 * A call by the scheduler did not come to the gate in the thread of the scheduler. If
	 * it was kept back it is not repeated: the next one comes with the next fire time.
	 */
	void strayed(boolean arrivedElsewhere) {
		synchronized (this) {
			this.keptBack = !arrivedElsewhere;
			if (this.strayedTold) {
				return;
			}
			this.strayedTold = true;
		}
		log.tell((logger) -> logger.warn("A scheduled call of job '{}' did not come to the gate in the thread of its "
				+ "scheduler. If it was kept back by a lock, an aspect or a proxy, it is not repeated before the next "
				+ "fire time. If it was moved to another thread, it is recorded only if it comes within 5 s. Let "
				+ "that come after the gate", this.key));
	}

	/** Launch nothing for a while. A later term owes nothing to what failed before it. */
	synchronized void pause(long term) {
		if (term >= this.pausedTerm) {
			this.pausedTerm = term;
			this.pausedSince = this.clock.nanos();
		}
	}

	/** Return how long nothing is launched, {@code null} if it is. */
	synchronized @Nullable Duration paused(long term) {
		Duration left = PAUSE.minusNanos(this.clock.nanos() - this.pausedSince);
		if (left.isNegative() || left.isZero()) {
			this.pausedTerm = 0;
		}
		return (this.pausedTerm == term) ? left : null;
	}

	/** A run that was handed to the scheduler. */
	private static final class Launch {

		private final long term;

		private boolean begun;

		private volatile @Nullable Future<?> task;

		private @Nullable Long lostSince;

		Launch(long term) {
			this.term = term;
		}

		/** Whether the scheduler has done with it for a while, and nothing has come. */
		boolean isLost(long now) {
			Future<?> task = this.task;
			if (task == null || !task.isDone()) {
				return false;
			}
			if (this.lostSince == null) {
				this.lostSince = now;
			}
			return now - this.lostSince >= JobSchedule.GRACE.toNanos();
		}

	}

}
