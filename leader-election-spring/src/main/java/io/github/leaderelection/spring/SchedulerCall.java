package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import org.jspecify.annotations.Nullable;

/**
 * A call of a recorded method by a scheduler. Known to the thread of the scheduler, so
 * that the gate can tell it from calls by others, and for a while to the method itself:
 * something in front of the gate may have moved it to another thread.
 */
final class SchedulerCall {

	/** How long after its return a call may come to the gate in another thread. */
	private static final Duration GRACE = Duration.ofSeconds(5);

	private final JobKey job;

	private final PlannedRun planned;

	private final AtomicBoolean arrived = new AtomicBoolean();

	private volatile @Nullable Long returned;

	/** Known to the thread of the scheduler only. */
	private boolean taken;

	SchedulerCall(JobKey job, PlannedRun planned) {
		this.job = job;
		this.planned = planned;
	}

	/** Return the call that the current thread is in, {@code null} if it is in none. */
	static @Nullable SchedulerCall current() {
		return WorkScope.find(SchedulerCall.class);
	}

	PlannedRun planned() {
		return this.planned;
	}

	/**
	 * Take the call in its own thread: it is for one method only, and none that this one
	 * calls.
	 * @param key the job of the method that is called
	 * @return whether it is for that job, and was not taken in this thread before
	 */
	boolean take(JobKey key) {
		if (this.taken || !this.job.equals(key)) {
			return false;
		}
		this.taken = true;
		this.arrived.set(true);
		return true;
	}

	/**
	 * Take the call in a thread that is in no such call.
	 * @return whether it has not arrived yet, and can still be expected
	 */
	boolean claim() {
		Long since = this.returned;
		return (since == null || System.nanoTime() - since < GRACE.toNanos())
				&& this.arrived.compareAndSet(false, true);
	}

	/** Return whether it has arrived at the gate, in whatever thread. */
	boolean hasArrived() {
		return this.arrived.get();
	}

	/**
	 * Return whether the current thread, which is that of the scheduler, has taken it.
	 */
	boolean isTaken() {
		return this.taken;
	}

	/** Take notice that the thread of the scheduler has returned from it. */
	void hasReturned() {
		this.returned = System.nanoTime();
	}

}
