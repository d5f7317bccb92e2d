package io.github.leaderelection.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.job.Timetable;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RecordedJobMetrics} and {@link JobMeters}.
 */
class RecordedJobMetricsTests {

	private static final JobKey KEY = new JobKey("orders", "report");

	private static final Job JOB = new Job(KEY, Timetable.of("hourly", (after) -> after.plusSeconds(3600)),
			Duration.ofMinutes(10), 1);

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final RecordedJobMetrics metrics = new RecordedJobMetrics(() -> this.jobs(), () -> NOON);

	private final RecordedJobs jobs = new RecordedJobs(unused(), new InMemoryRecordStores().store(RecordedJobs.RUNS),
			"", List.of(this.metrics), EngineClock.SYSTEM);

	@Test
	void jobsRegisteredBeforeAndAfterBindingAreMeasured() {
		this.jobs.register(JOB, null);
		this.metrics.bindTo(this.registry);
		this.jobs.register(new Job(new JobKey("orders", "other"), Timetable.NONE, Duration.ofMinutes(10), 1), null);
		assertThat(this.registry.getMeters()).map((meter) -> meter.getId().getTag("name")).contains("report", "other");
		assertThat(this.registry.get("leader.election.job.skipped").counters()).hasSize(2);
	}

	@Test
	void eventsAreCounted() {
		this.jobs.register(JOB, null);
		this.metrics.bindTo(this.registry);
		assertThat(this.registry.find("leader.election.job.runs").timers()).isEmpty();
		this.metrics.onStarted(run(NOON, Cause.CATCH_UP, Outcome.RUNNING), Duration.ofSeconds(20));
		this.metrics.onStarted(run(null, Cause.TRIGGERED, Outcome.RUNNING), Duration.ZERO);
		this.metrics.onEnded(run(NOON, Cause.CATCH_UP, Outcome.SUCCEEDED), Duration.ofSeconds(3));
		this.metrics.onEnded(run(null, Cause.TRIGGERED, Outcome.FAILED), Duration.ofSeconds(1));
		this.metrics.onRefused(KEY, Result.STILL_RUNNING);
		this.metrics.onUnfinished(run(NOON, Cause.SCHEDULED, Outcome.RUNNING), false);
		this.metrics.onMissed(KEY, NOON, 3);
		this.metrics.onSkipped(KEY, 2);
		assertThat(measured()).filteredOn((each) -> !each.endsWith("NaN"))
			.containsExactlyInAnyOrder("late COUNT 1", "late TOTAL_TIME 20", "late MAX 20",
					"runs catch_up succeeded COUNT 1", "runs catch_up succeeded TOTAL_TIME 3",
					"runs catch_up succeeded MAX 3", "runs triggered failed COUNT 1",
					"runs triggered failed TOTAL_TIME 1", "runs triggered failed MAX 1",
					"refused still_running COUNT 1", "unfinished COUNT 1", "missed COUNT 3", "skipped COUNT 2");
	}

	@Test
	void gaugesShowTheRecord() {
		JobRun last = run(NOON.minusSeconds(7200), Cause.SCHEDULED, Outcome.SUCCEEDED);
		RunRecord record = new RunRecord(KEY, 1, 1, NOON.minusSeconds(7200), "hourly", 0, 0, last);
		gauges(new JobStatus(JOB, record, NOON.minusSeconds(3600), false, null));
		assertThat(measured()).containsExactlyInAnyOrder("start.age VALUE 7190", "next VALUE -3600",
				"overdue VALUE 3000");
	}

	@Test
	void gaugesOfAJobWithoutRecordHaveNoValue() {
		gauges(new JobStatus(JOB, null, null, false, "damaged"));
		assertThat(measured()).containsExactlyInAnyOrder("start.age VALUE NaN", "next VALUE NaN", "overdue VALUE NaN",
				"blocked VALUE 1");
	}

	private void gauges(JobStatus status) {
		JobMeters unused = new JobMeters(KEY, () -> status, () -> NOON, this.registry);
		assertThat(unused).isNotNull();
	}

	private RecordedJobs jobs() {
		return this.jobs;
	}

	/** Return the measurements that are not zero. */
	private List<String> measured() {
		return this.registry.getMeters().stream().flatMap((meter) -> measured(meter).stream()).toList();
	}

	private static List<String> measured(Meter meter) {
		StringBuilder name = new StringBuilder(meter.getId().getName().substring("leader.election.job.".length()));
		for (String tag : List.of("cause", "outcome", "result")) {
			String value = meter.getId().getTag(tag);
			name.append((value != null) ? " " + value : "");
		}
		List<String> values = new ArrayList<>();
		meter.measure().forEach((each) -> {
			if (each.getValue() != 0) {
				String value = Double.isNaN(each.getValue()) ? "NaN" : String.valueOf(Math.round(each.getValue()));
				values.add(name + " " + each.getStatistic() + " " + value);
			}
		});
		return values;
	}

	private static JobRun run(@Nullable Instant fireTime, Cause cause, Outcome outcome) {
		return new JobRun("1", "orders", "report", fireTime, cause, 1, 1, "me", NOON.minusSeconds(7190), null, outcome);
	}

	private static Supplier<LeaderElection> unused() {
		return () -> {
			throw new IllegalStateException();
		};
	}

}
