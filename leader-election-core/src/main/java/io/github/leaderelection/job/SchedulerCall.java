package io.github.leaderelection.job;

import io.github.leaderelection.store.JobKey;
import org.jspecify.annotations.Nullable;

/**
 * What a thread of a scheduler was started for. Known to that thread while it runs the
 * task, so that the gate finds out which run a call is, and that it is one at all.
 */
public final class SchedulerCall {

	private static final ThreadLocal<@Nullable SchedulerCall> CURRENT = new ThreadLocal<>();

	private final PlannedRun planned;

	private final String task;

	private final @Nullable JobKey job;

	private boolean taken;

	/**
	 * Create a call by a scheduler.
	 * @param planned the run
	 * @param task the task, as it describes itself
	 * @param job the only job that can be meant, {@code null} if the task has to tell
	 */
	public SchedulerCall(PlannedRun planned, String task, @Nullable JobKey job) {
		this.planned = planned;
		this.task = task;
		this.job = job;
	}

	/**
	 * Return the call that the current thread is in.
	 * @return the call, {@code null} if no scheduler known here has started the thread
	 */
	public static @Nullable SchedulerCall current() {
		return CURRENT.get();
	}

	/**
	 * Return the run.
	 * @return the run
	 */
	public PlannedRun planned() {
		return this.planned;
	}

	/**
	 * Return the task, as it describes itself.
	 * @return the description
	 */
	public String task() {
		return this.task;
	}

	/**
	 * Return the job that is meant.
	 * @return the job, {@code null} if the task has to tell
	 */
	public @Nullable JobKey job() {
		return this.job;
	}

	/**
	 * Take the run: it is for one method only, and none that this one calls.
	 * @return the run, {@code null} if it was taken before
	 */
	public @Nullable PlannedRun take() {
		if (this.taken) {
			return null;
		}
		this.taken = true;
		return this.planned;
	}

	/**
	 * Run the task in the current thread.
	 * @param work the task
	 */
	public void run(Runnable work) {
		SchedulerCall outer = CURRENT.get();
		CURRENT.set(this);
		try {
			work.run();
		}
		finally {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		}
	}

}
