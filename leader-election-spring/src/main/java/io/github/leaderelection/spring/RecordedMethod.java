package io.github.leaderelection.spring;

import java.lang.reflect.Array;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.PlannedRun.Launcher;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.RecordedRun;
import io.github.leaderelection.job.Timetable;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringValueResolver;

/**
 * A gated method whose scheduled runs are recorded. Its timetable is resolved when it is
 * registered, not earlier: expressions in annotations may refer to other beans.
 */
final class RecordedMethod {

	private final LeaderOnlyMethod method;

	private final ScheduledDeclaration schedule;

	private final JobKey key;

	private final @Nullable Duration startingDeadline;

	/** The jobs with which this one is registered. */
	private volatile @Nullable RecordedJobs jobs;

	/** The last scheduler call, which may still reach the gate in another thread. */
	private volatile @Nullable SchedulerCall last;

	RecordedMethod(LeaderOnlyMethod method, ScheduledDeclaration schedule, JobKey key,
			@Nullable Duration startingDeadline) {
		this.method = method;
		this.schedule = schedule;
		this.key = key;
		this.startingDeadline = startingDeadline;
	}

	JobKey key() {
		return this.key;
	}

	LeaderOnlyMethod method() {
		return this.method;
	}

	ScheduledDeclaration schedule() {
		return this.schedule;
	}

	/**
	 * Return the job.
	 * @param values resolves values in annotations
	 * @param startingDeadlines returns the default starting deadline of an election's
	 * jobs
	 * @return the job, or {@code null} if it never runs
	 */
	@Nullable Job job(StringValueResolver values, Function<String, Duration> startingDeadlines) {
		Timetable all = this.schedule.timetable(values);
		if (all == null) {
			return null;
		}
		return new Job(this.key, all,
				(this.startingDeadline != null) ? this.startingDeadline : startingDeadlines.apply(this.key.election()),
				this.method.annotation().attempts());
	}

	/**
	 * Register the job: from now on scheduled calls are its runs.
	 * @param job the job
	 * @param owner the jobs to register it with
	 * @param launcher starts runs, or {@code null} if runs can't be launched
	 */
	void register(Job job, RecordedJobs owner, @Nullable Launcher launcher) {
		// Set first, since a run may be launched at once.
		this.jobs = owner;
		try {
			owner.register(job, launcher);
		}
		catch (IllegalArgumentException ex) {
			this.jobs = null;
			throw this.method.invalidAttribute(String.valueOf(ex.getMessage()), "Change job");
		}
	}

	/** Unregister the job: the jobs may outlive the context of the method. */
	void unregister() {
		RecordedJobs owner = this.jobs;
		if (owner != null) {
			owner.unregister(this.key);
		}
	}

	/**
	 * Call the method in the current thread, on behalf of a scheduler.
	 * @param planned the run that the call is for
	 * @param work makes the call
	 */
	void call(PlannedRun planned, Runnable work) {
		SchedulerCall call = new SchedulerCall(this.key, planned);
		this.last = call;
		try (WorkScope scope = WorkScope.enter(call)) {
			work.run();
		}
		finally {
			call.hasReturned();
			RecordedJobs owner = this.jobs;
			if (owner != null && !call.isTaken()) {
				owner.strayed(this.key, call::hasArrived);
			}
		}
	}

	/**
	 * Take the run for which the scheduler calls the method. A call on a thread that is
	 * not inside a scheduler call is taken for the last scheduler call, if that has not
	 * reached the gate yet.
	 * @return the run, or {@code null} if other code makes the call
	 */
	@Nullable PlannedRun takePlanned() {
		SchedulerCall present = SchedulerCall.current();
		SchedulerCall call = (present != null) ? present : this.last;
		if (call == null || !((present != null) ? call.take(this.key) : call.claim())) {
			return null;
		}
		return (this.jobs != null) ? call.planned() : null;
	}

	/**
	 * Record the start of a run that was taken, in the calling thread, which was let in.
	 * Calls the store.
	 * @return the run, or {@code null} if it must not be started
	 */
	@Nullable RecordedRun begin(PlannedRun planned, Leadership leadership) {
		return Objects.requireNonNull(this.jobs).begin(this.key, planned, leadership).run();
	}

	/**
	 * Return the result of a call whose run is not started. The caller is a scheduler,
	 * which ignores the result.
	 */
	@Nullable Object refused() {
		SkippedResult empty = SkippedResult.of(this.method.returnType());
		if (empty != null) {
			return empty.get();
		}
		Class<?> type = this.method.returnType().toClass();
		return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
	}

}
