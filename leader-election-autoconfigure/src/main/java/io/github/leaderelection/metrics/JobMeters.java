package io.github.leaderelection.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.JobKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one job in one registry. Its name is in the tag {@code name}, since
 * Prometheus keeps {@code job} for what it scrapes.
 */
final class JobMeters {

	private final Map<Cause, LazyTimer> succeeded = new EnumMap<>(Cause.class);

	private final Map<Cause, LazyTimer> failed = new EnumMap<>(Cause.class);

	private final Map<Result, Counter> refused = new EnumMap<>(Result.class);

	private final MeterRegistry registry;

	private final Supplier<@Nullable JobStatus> status;

	private final InstantSource clock;

	private final Tags tags;

	private final Timer late;

	private final Counter unfinished;

	private final Counter skipped;

	private final Counter missed;

	JobMeters(JobKey key, Supplier<@Nullable JobStatus> status, InstantSource clock, MeterRegistry registry) {
		this.registry = registry;
		this.status = status;
		this.clock = clock;
		this.tags = Tags.of("election", key.election(), "name", key.job());
		for (Cause cause : Cause.values()) {
			this.succeeded.put(cause, runs(cause, Outcome.SUCCEEDED));
			this.failed.put(cause, runs(cause, Outcome.FAILED));
		}
		for (Result result : List.of(Result.ALREADY_RUN, Result.STILL_RUNNING, Result.NOT_LEADER, Result.UNREACHABLE)) {
			this.refused.put(result, counter("leader.election.job.refused", "Runs of a job that were not started",
					Tags.of("result", ElectionMeters.tag(result))));
		}
		this.late = Timer.builder("leader.election.job.late")
			.description("How long after their fire times runs were started")
			.tags(this.tags)
			.register(registry);
		this.unfinished = counter("leader.election.job.unfinished",
				"Runs of earlier terms that were found without an end", Tags.empty());
		this.skipped = counter("leader.election.job.skipped", "Fire times that have come during a run", Tags.empty());
		this.missed = counter("leader.election.job.missed", "Fire times that have passed without a run", Tags.empty());
		registerGauges();
	}

	private void registerGauges() {
		timeGauge("leader.election.job.start.age", "Time since the last run was started",
				(is) -> seconds(startedAt(is), now()));
		timeGauge("leader.election.job.next", "Time until the next fire time", (is) -> seconds(now(), is.next()));
		timeGauge("leader.election.job.overdue", "Time since the job could last be started for a fire time",
				(is) -> seconds(is.overdue(now())));
		Gauge.builder("leader.election.job.blocked", () -> read((is) -> (is.failure() != null) ? 1 : 0))
			.description("Whether the record of the job can't be read, so that it can't be started")
			.tags(this.tags)
			.register(this.registry);
	}

	void started(JobRun run, Duration duration) {
		if (run.fireTime() != null) {
			this.late.record(duration);
		}
	}

	void ended(JobRun run, Duration duration) {
		LazyTimer timer = ((run.outcome() == Outcome.FAILED) ? this.failed : this.succeeded).get(run.cause());
		if (timer != null) {
			timer.record(duration.toNanos());
		}
	}

	void refused(Result result) {
		Counter counter = this.refused.get(result);
		if (counter != null) {
			counter.increment();
		}
	}

	void unfinished() {
		this.unfinished.increment();
	}

	void skipped(int number) {
		this.skipped.increment(number);
	}

	void missed(int number) {
		this.missed.increment(number);
	}

	private LazyTimer runs(Cause cause, Outcome outcome) {
		return new LazyTimer(
				Timer.builder("leader.election.job.runs")
					.description("Runs of a job that have ended")
					.tags(this.tags.and("cause", ElectionMeters.tag(cause), "outcome", ElectionMeters.tag(outcome))),
				this.registry);
	}

	private Counter counter(String name, String description, Tags more) {
		return Counter.builder(name).description(description).tags(this.tags.and(more)).register(this.registry);
	}

	private void timeGauge(String name, String description, ToDoubleFunction<JobStatus> seconds) {
		TimeGauge.builder(name, () -> read(seconds), TimeUnit.SECONDS)
			.description(description)
			.tags(this.tags)
			.register(this.registry);
	}

	private double read(ToDoubleFunction<JobStatus> value) {
		JobStatus present = this.status.get();
		return (present != null) ? value.applyAsDouble(present) : Double.NaN;
	}

	private Instant now() {
		return this.clock.instant();
	}

	private static @Nullable Instant startedAt(JobStatus status) {
		JobRun last = (status.record() != null) ? status.record().last() : null;
		return (last != null) ? last.startedAt() : null;
	}

	private static double seconds(@Nullable Instant from, @Nullable Instant to) {
		return (from != null && to != null) ? seconds(Duration.between(from, to)) : Double.NaN;
	}

	private static double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() / 1e3 : Double.NaN;
	}

}
