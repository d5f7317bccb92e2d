package io.github.leaderelection.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.JobKey;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of recorded jobs. The names of all meters begin with
 * {@code leader.election.job}. They are registered for each job when it becomes known,
 * and tagged with its election and its name; the timers of runs are registered on first
 * use. Reading the meters uses local state only and never waits for the store.
 * <p>
 * Pass the metrics to the {@link RecordedJobs} as one of their listeners.
 */
public class RecordedJobMetrics implements MeterBinder, JobListener {

	private final List<Function<JobKey, JobMeters>> bound = new CopyOnWriteArrayList<>();

	private final Supplier<? extends @Nullable RecordedJobs> jobs;

	private final InstantSource clock;

	/**
	 * Create metrics.
	 * @param jobs supplies the jobs to measure, or {@code null} if there are none; called
	 * when the metrics are bound
	 * @param clock the wall clock of this process
	 */
	public RecordedJobMetrics(Supplier<? extends @Nullable RecordedJobs> jobs, InstantSource clock) {
		this.jobs = jobs;
		this.clock = clock;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		RecordedJobs measured = this.jobs.get();
		if (measured != null) {
			// On demand: a job that other code schedules is not registered before its
			// first run.
			Map<JobKey, JobMeters> known = new ConcurrentHashMap<>();
			// First, so that no job registered meanwhile is missed.
			this.bound.add((key) -> known.computeIfAbsent(key,
					(absent) -> new JobMeters(absent, () -> measured.status(absent), this.clock, registry)));
			measured.status().forEach((status) -> onRegistered(status.job()));
		}
	}

	@Override
	public void onRegistered(Job job) {
		of(job.key(), (meters) -> {
			// Looking up the meters has created them.
		});
	}

	@Override
	public void onStarted(JobRun run, Duration late) {
		of(run, (meters) -> {
			if (run.fireTime() != null) {
				meters.late.record(late);
			}
		});
	}

	@Override
	public void onEnded(JobRun run, Duration duration) {
		of(run, (meters) -> meters.runs(run.cause(), run.outcome()).record(duration));
	}

	@Override
	public void onRefused(JobKey key, Result result) {
		of(key, (meters) -> meters.refused(result));
	}

	@Override
	public void onUnfinished(JobRun run, boolean again) {
		of(run, (meters) -> meters.unfinished.increment());
	}

	@Override
	public void onMissed(JobKey key, Instant last, int number) {
		of(key, (meters) -> meters.missed.increment(number));
	}

	@Override
	public void onSkipped(JobKey key, int number) {
		of(key, (meters) -> meters.skipped.increment(number));
	}

	private void of(JobRun run, Consumer<JobMeters> event) {
		of(new JobKey(run.election(), run.job()), event);
	}

	private void of(JobKey key, Consumer<JobMeters> event) {
		this.bound.forEach((meters) -> event.accept(meters.apply(key)));
	}

}
