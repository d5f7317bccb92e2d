package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.job.PlannedRun;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * What a scheduler calls where runs of a method are recorded. To all who look at it, it
 * is what Spring makes for any other scheduled method. While it runs its thread is known
 * to make a call by the scheduler, which the gate can tell from calls by others.
 */
final class RecordedTask extends ScheduledMethodRunnable {

	private final ScheduledMethodRunnable task;

	private final RecordedMethod recorded;

	private final PlannedRun planned;

	private final JobScheduling jobs;

	RecordedTask(ScheduledMethodRunnable task, RecordedMethod recorded, PlannedRun planned, JobScheduling jobs) {
		super(task.getTarget(), task.getMethod(), task.getQualifier(), () -> ObservationRegistry.NOOP);
		this.task = task;
		this.recorded = recorded;
		this.planned = planned;
		this.jobs = jobs;
	}

	/** Return the same for another run than the scheduler starts by itself. */
	RecordedTask launched(PlannedRun run) {
		return new RecordedTask(this.task, this.recorded, run, this.jobs);
	}

	@Override
	public void run() {
		Call call = new Call(this.recorded, this.planned);
		Call outer = Call.CURRENT.get();
		Call.CURRENT.set(call);
		this.recorded.expect(call);
		try {
			this.task.run();
		}
		finally {
			call.returned = System.nanoTime();
			Call.CURRENT.set(outer);
			this.jobs.returned(this.recorded.key(), call.arrived.get(), !call.taken);
		}
	}

	/**
	 * A call by a scheduler. Known to its thread, and for a while to the method itself:
	 * something in front of the gate may have moved it to another thread.
	 */
	static final class Call {

		private static final ThreadLocal<@Nullable Call> CURRENT = new ThreadLocal<>();

		/** How long after its return a call may come to the gate in another thread. */
		private static final Duration GRACE = Duration.ofSeconds(5);

		private final RecordedMethod recorded;

		private final PlannedRun planned;

		private final AtomicBoolean arrived = new AtomicBoolean();

		private volatile @Nullable Long returned;

		/** Whether it has arrived in its own thread, to which alone this is known. */
		private boolean taken;

		private Call(RecordedMethod recorded, PlannedRun planned) {
			this.recorded = recorded;
			this.planned = planned;
		}

		/**
		 * Take the call that has come to the gate of a method. It is for that method
		 * only, and none that this one calls. A call in a thread that is in none by a
		 * scheduler is taken for the last one, if that has not arrived and can still be
		 * expected.
		 * @param last the last call of the method by its scheduler
		 * @return what the call is for, {@code null} if it is by somebody else
		 */
		static @Nullable PlannedRun take(RecordedMethod method, @Nullable Call last) {
			Call present = CURRENT.get();
			if (present != null) {
				return present.take(method) ? present.planned : null;
			}
			return (last != null && last.claim()) ? last.planned : null;
		}

		private boolean take(RecordedMethod method) {
			if (this.taken || !this.recorded.key().equals(method.key())) {
				return false;
			}
			this.taken = true;
			this.arrived.set(true);
			return true;
		}

		private boolean claim() {
			Long since = this.returned;
			return (since == null || System.nanoTime() - since < GRACE.toNanos())
					&& this.arrived.compareAndSet(false, true);
		}

	}

}
