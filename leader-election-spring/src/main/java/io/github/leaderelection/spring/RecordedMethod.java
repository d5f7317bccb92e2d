package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.Timetable;
import io.github.leaderelection.job.JobKey;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
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

	/** What may still come to the gate in another thread. */
	private volatile @Nullable SchedulerCall last;

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

	Method scheduledMethod() {
		return this.schedule.method();
	}

	/** Return whether it is this method that is scheduled, by what makes up its runs. */
	boolean isMeantBy(Method method, Scheduled annotation) {
		return this.method.declarations().contains(method) && this.schedule.isRecorded(annotation);
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
		this.registered = true;
		return new Job(this.key, all,
				(this.startingDeadline != null) ? this.startingDeadline : startingDeadlines.apply(this.key.election()),
				this.method.annotation().attempts());
	}

	/** A scheduler is going to call the method. */
	void expect(SchedulerCall call) {
		this.last = call;
	}

	/**
	 * Take the run for which the scheduler calls the method. A call in a thread that is
	 * in none by a scheduler is taken for the last one, if that has not arrived yet.
	 * @return the run, {@code null} if somebody else calls it
	 */
	@Nullable PlannedRun takePlanned() {
		SchedulerCall present = SchedulerCall.current();
		SchedulerCall call = (present != null) ? present : this.last;
		if (call == null || !((present != null) ? call.take(this.key) : call.claim())) {
			return null;
		}
		return this.registered ? call.planned() : null;
	}

	/** Return the result of a call for which no run is to be started. */
	@Nullable Object refused() {
		return this.refused.get();
	}

}
