package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.Timetable;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringValueResolver;

/**
 * A gated method whose scheduled runs are recorded. Its timetable is known when it is
 * registered: expressions in annotations may ask for other beans.
 */
final class RecordedMethod {

	private final LeaderOnlyMethod method;

	private final ScheduledDeclaration schedule;

	private final JobKey key;

	private final @Nullable Duration startingDeadline;

	private final SkippedResult refused;

	private volatile boolean registered;

	/** What the scheduler calls. */
	private volatile @Nullable RecordedTask task;

	/** What may still come to the gate in another thread. */
	private volatile RecordedTask.@Nullable Call last;

	RecordedMethod(LeaderOnlyMethod method, ScheduledDeclaration schedule, JobKey key,
			@Nullable Duration startingDeadline, SkippedResult refused) {
		this.method = method;
		this.schedule = schedule;
		this.key = key;
		this.startingDeadline = startingDeadline;
		this.refused = refused;
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
	 * Return the job, known from now on.
	 * @param values resolves what is in annotations
	 * @param startingDeadlines the starting deadline of jobs that have none of their own,
	 * by election
	 * @return the job, {@code null} if it is never to run
	 */
	@Nullable Job job(StringValueResolver values, Function<String, Duration> startingDeadlines) {
		Timetable timetable = this.schedule.timetable(values);
		if (timetable == null) {
			return null;
		}
		this.registered = true;
		return new Job(this.key, timetable,
				(this.startingDeadline != null) ? this.startingDeadline : startingDeadlines.apply(this.key.election()),
				this.method.annotation().attempts());
	}

	/** A scheduler is going to make calls of this task. */
	void scheduled(RecordedTask task) {
		this.task = task;
	}

	/** Return what the scheduler is to call once more. */
	RecordedTask launched(PlannedRun run) {
		return Objects.requireNonNull(this.task).launched(run);
	}

	/** A scheduler is going to call the method. */
	void expect(RecordedTask.Call call) {
		this.last = call;
	}

	/** Return what a call is for, {@code null} if it is not by the scheduler. */
	@Nullable PlannedRun takePlanned() {
		PlannedRun planned = RecordedTask.Call.take(this, this.last);
		return this.registered ? planned : null;
	}

	/** Return the result of a call for which no run is to be started. */
	@Nullable Object refused() {
		return this.refused.get();
	}

}
