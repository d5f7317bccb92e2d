package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.SchedulerCall;
import io.github.leaderelection.job.Timetable;
import io.github.leaderelection.store.JobKey;
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

	/** The method as tasks of the scheduler describe themselves. */
	private final Set<String> tasks;

	/** {@code null} while the job is not registered. */
	private volatile @Nullable Timetable timetable;

	RecordedMethod(LeaderOnlyMethod method, ScheduledDeclaration schedule, JobKey key,
			@Nullable Duration startingDeadline, SkippedResult refused) {
		this.method = method;
		this.schedule = schedule;
		this.key = key;
		this.startingDeadline = startingDeadline;
		this.refused = refused;
		this.tasks = method.family()
			.declarations()
			.stream()
			.map((each) -> each.getDeclaringClass().getName() + "." + each.getName())
			.collect(Collectors.toUnmodifiableSet());
	}

	JobKey key() {
		return this.key;
	}

	Method scheduledMethod() {
		return this.schedule.method();
	}

	String scheduler() {
		return this.schedule.scheduler();
	}

	Duration initialDelay(StringValueResolver values) {
		return this.schedule.hasCron() ? Duration.ZERO : this.schedule.initialDelay(values);
	}

	/** Return the method in full, such as {@code com.acme.Jobs.run()}. */
	String place() {
		return this.method.place();
	}

	InvalidLeaderOnlyException invalidAttribute(String reason, String remedy) {
		return this.method.invalidAttribute(reason, remedy);
	}

	InvalidLeaderOnlyException invalid(String reason, String remedy) {
		return this.method.invalid(reason, remedy);
	}

	/**
	 * Return the job, known from now on.
	 * @param values resolves what is in annotations
	 * @param startingDeadlines the starting deadline of jobs that have none of their own,
	 * by election
	 * @return the job, {@code null} if it is never to run
	 */
	@Nullable Job job(StringValueResolver values, Function<String, Duration> startingDeadlines) {
		Timetable all = this.schedule.timetable(values);
		if (all == null) {
			return null;
		}
		this.timetable = all;
		return new Job(this.key, all,
				(this.startingDeadline != null) ? this.startingDeadline : startingDeadlines.apply(this.key.election()),
				this.method.annotation().attempts());
	}

	/**
	 * Take the run for which the scheduler calls the method in the current thread.
	 * @return the run, {@code null} if somebody else calls it
	 */
	@Nullable PlannedRun takePlanned() {
		SchedulerCall call = SchedulerCall.current();
		return (call != null && isMeantBy(call)) ? call.take() : null;
	}

	private boolean isMeantBy(SchedulerCall call) {
		Timetable present = this.timetable;
		if (present == null) {
			return false;
		}
		if (call.job() != null) {
			return call.job().equals(this.key);
		}
		Instant fireTime = call.planned().fireTime();
		if ((fireTime != null) != present.isFixed()) {
			return false;
		}
		return this.tasks.contains(call.task())
				|| (isNondescript(call.task()) && (fireTime == null || isIn(present, fireTime)));
	}

	/** Agents that observe what is scheduled put tasks of their own around it. */
	private static boolean isNondescript(String task) {
		return task.indexOf('@') != -1;
	}

	private static boolean isIn(Timetable timetable, Instant fireTime) {
		return timetable.count(fireTime.minusMillis(1), fireTime) == 1;
	}

	/** Return the result of a call for which no run is to be started. */
	@Nullable Object refused() {
		return this.refused.get();
	}

}
