package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.SuppliedClock;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.job.StoredRuns;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.awaitility.Awaitility.await;

/**
 * Instances of an application that share the content of a database, and a wall clock that
 * stands still until a test moves it. Their schedulers use the system clock.
 */
public final class JobContexts {

	static final Duration LONG = Duration.ofSeconds(30);

	static final String EVERY_SECOND = "* * * * * *";

	/** A job with this schedule is never started by a scheduler during tests. */
	public static final String NEW_YEAR = "0 0 10 1 1 *";

	static final Instant NEW_YEARS_FIRE_TIME = Instant.parse("2026-01-01T10:00:00Z");

	volatile long millis = System.currentTimeMillis();

	volatile boolean halted;

	/** They use the clock of the instances. */
	private final RecordStores stores = new InMemoryRecordStores(
			() -> this.halted ? Instant.ofEpochMilli(this.millis) : Instant.now());

	final RecordStore runs = Mockito.spy(this.stores.store(RecordedJobs.RUNS));

	/** Return one more instance. */
	ApplicationContextRunner instance() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
					LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withPropertyValues("spring.application.name=orders", "leader-election.ttl=2s",
					"leader-election.cooldown=100ms")
			.withUserConfiguration(Scheduling.class)
			.withBean(RecordStores.class, this::spied);
	}

	private RecordStores spied() {
		RecordStores spied = Mockito.spy(this.stores);
		Mockito.doReturn(this.runs).when(spied).store(RecordedJobs.RUNS);
		return spied;
	}

	/** Return one more instance, which uses the clock of the test. */
	ApplicationContextRunner instanceAt(Instant now) {
		this.millis = now.toEpochMilli();
		this.halted = true;
		return instance().withBean(EngineClock.class, () -> new SuppliedClock(System::nanoTime, () -> this.millis));
	}

	StoredRuns stored() {
		return new StoredRuns(this.runs);
	}

	@Nullable RunRecord find(String job) {
		return stored().find(new JobKey("orders", job));
	}

	@Nullable JobRun last(String job) {
		RunRecord record = find(job);
		return (record != null) ? record.last() : null;
	}

	/** Wait until the last run of the job has this outcome. */
	void awaitOutcome(String job, Outcome outcome) {
		await().atMost(LONG).until(() -> outcome(job) == outcome);
	}

	@Nullable Outcome outcome(String job) {
		JobRun last = last(job);
		return (last != null) ? last.outcome() : null;
	}

	/** Open the record of a job, as another instance would have. */
	void recordedBefore(String job, String timetable, Instant covered) {
		stored().open(0, timetable, covered, new JobKey("orders", job));
	}

	/** Do the same, shortly before the fire time of a job at New Year. */
	void recordedBefore(String job) {
		recordedBefore(job, NEW_YEAR + " UTC", NEW_YEARS_FIRE_TIME.minusSeconds(10));
	}

	void assertNoCalls() {
		Mockito.verify(this.runs, Mockito.never()).read(Mockito.any(), Mockito.any());
		Mockito.verify(this.runs, Mockito.never()).insert(Mockito.any(), Mockito.any());
		Mockito.verify(this.runs, Mockito.never()).replace(Mockito.any(), Mockito.any());
	}

	static void awaitLeader(ApplicationContext context) {
		await().atMost(LONG).until(() -> context.getBean(LeaderElection.class).isLeader("orders"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

}
