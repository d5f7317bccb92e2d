package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import org.jspecify.annotations.Nullable;

/**
 * A call of a recorded method by a scheduler. Bound to the scheduler's thread, so that
 * the gate can tell it from other calls. The method keeps it for a while, too, since code
 * in front of the gate may move the call to another thread.
 */
final class SchedulerCall {

	/** How long after its return a call may reach the gate in another thread. */
	private static final Duration GRACE = Duration.ofSeconds(5);

	private final JobKey job;

	private final PlannedRun planned;

	private final AtomicBoolean arrived = new AtomicBoolean();

	private volatile @Nullable Long returned;

	/** Accessed only by the thread of the scheduler. */
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
	 * Take the call in its own thread. It is for one method only, not for methods that
	 * this one calls.
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
	 * Take the call in a thread that is not inside a scheduler call.
	 * @return whether the call has not reached the gate yet, and is still expected to
	 */
	boolean claim() {
		Long since = this.returned;
		return (since == null || System.nanoTime() - since < GRACE.toNanos())
				&& this.arrived.compareAndSet(false, true);
	}

	/** Return whether the call has reached the gate, in any thread. */
	boolean hasArrived() {
		return this.arrived.get();
	}

	/**
	 * Return whether the thread of the scheduler, which calls this, has taken the call.
	 */
	boolean isTaken() {
		return this.taken;
	}

	/** Note that the call has returned in the thread of the scheduler. */
	void hasReturned() {
		this.returned = System.nanoTime();
	}

}
