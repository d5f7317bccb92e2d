package io.github.leaderelection.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.github.leaderelection.JobRun;
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

	/** What becomes of starts that are refused. */
	private static final Set<Result> REFUSED = EnumSet.of(Result.ALREADY_RUN, Result.STILL_RUNNING, Result.NOT_LEADER,
			Result.UNREACHABLE);

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
		REFUSED.forEach(this::refusals);
		this.late = Timer.builder("leader.election.job.late")
			.description("How long after their fire times runs were started")
			.tags(this.tags)
			.register(registry);
		this.unfinished = counter("leader.election.job.unfinished",
				"Runs of earlier terms that were found without an end", this.tags);
		this.skipped = counter("leader.election.job.skipped", "Fire times that have come during a run", this.tags);
		this.missed = counter("leader.election.job.missed", "Fire times that have passed without a run", this.tags);
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

	/** Registered with the first: most of what can happen never does. */
	void ended(JobRun run, Duration duration) {
		Outcome outcome = (run.outcome() == Outcome.FAILED) ? Outcome.FAILED : Outcome.SUCCEEDED;
		Timer.builder("leader.election.job.runs")
			.description("Runs of a job that have ended")
			.tags(this.tags.and("cause", ElectionMeters.tag(run.cause()), "outcome", ElectionMeters.tag(outcome)))
			.register(this.registry)
			.record(duration);
	}

	void refused(Result result) {
		if (REFUSED.contains(result)) {
			refusals(result).increment();
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

	private Counter refusals(Result result) {
		return counter("leader.election.job.refused", "Runs of a job that were not started",
				this.tags.and("result", ElectionMeters.tag(result)));
	}

	private Counter counter(String name, String description, Tags all) {
		return Counter.builder(name).description(description).tags(all).register(this.registry);
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
