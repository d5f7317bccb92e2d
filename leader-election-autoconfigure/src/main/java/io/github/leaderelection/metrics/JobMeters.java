package io.github.leaderelection.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.JobKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one job in one registry. The name of the job is in the tag {@code name},
 * since Prometheus reserves {@code job} for the scraped target.
 */
final class JobMeters extends Meters<JobStatus> {

	/** The results that count as a refused start. */
	private static final Set<Result> REFUSED = EnumSet.of(Result.ALREADY_RUN, Result.STILL_RUNNING, Result.NOT_LEADER,
			Result.UNREACHABLE);

	final Timer late;

	final Counter unfinished;

	final Counter skipped;

	final Counter missed;

	JobMeters(JobKey key, Supplier<@Nullable JobStatus> status, InstantSource clock, MeterRegistry registry) {
		super(registry, status, "election", key.election(), "name", key.job());
		REFUSED.forEach(this::refusals);
		this.late = timer("leader.election.job.late", "How long after their fire times runs were started");
		this.unfinished = counter("leader.election.job.unfinished",
				"Runs of earlier terms whose end was never recorded");
		this.skipped = counter("leader.election.job.skipped", "Fire times skipped because a run was in progress");
		this.missed = counter("leader.election.job.missed", "Fire times that have passed without a run");
		timeGauge("leader.election.job.start.age", "Time since the last run was started",
				(is) -> between(startedAt(is), clock.instant()));
		timeGauge("leader.election.job.next", "Time until the next fire time",
				(is) -> between(clock.instant(), is.next()));
		timeGauge("leader.election.job.overdue", "Time since a fire time's starting deadline passed without a run",
				(is) -> is.overdue(clock.instant()));
		gauge("leader.election.job.blocked", "Whether a problem keeps the job from being started",
				(is) -> (is.failure() != null) ? 1 : 0);
	}

	/** Registered on first use: most combinations never occur. */
	Timer runs(Cause cause, Outcome outcome) {
		return timer("leader.election.job.runs", "Runs of a job that have ended", "cause", tag(cause), "outcome",
				tag((outcome == Outcome.FAILED) ? Outcome.FAILED : Outcome.SUCCEEDED));
	}

	void refused(Result result) {
		if (REFUSED.contains(result)) {
			refusals(result).increment();
		}
	}

	private Counter refusals(Result result) {
		return counter("leader.election.job.refused", "Runs of a job that were not started", "result", tag(result));
	}

	private static @Nullable Instant startedAt(JobStatus status) {
		JobRun last = (status.record() != null) ? status.record().last() : null;
		return (last != null) ? last.startedAt() : null;
	}

	private static @Nullable Duration between(@Nullable Instant from, @Nullable Instant to) {
		return (from != null && to != null) ? Duration.between(from, to) : null;
	}

}
