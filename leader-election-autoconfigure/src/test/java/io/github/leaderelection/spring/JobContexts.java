package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.InMemoryRunStore;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.awaitility.Awaitility.await;

/**
 * Instances of an application that share what a database would keep, and a wall clock
 * that stands still until a test moves it. Their schedulers go by the clock of the
 * system.
 */
final class JobContexts {

	static final Duration LONG = Duration.ofSeconds(30);

	/** A job of this time of the year is never started by a scheduler during tests. */
	static final String NEW_YEAR = "0 0 10 1 1 *";

	static final Instant NEW_YEARS_FIRE_TIME = Instant.parse("2026-01-01T10:00:00Z");

	final InMemoryLeaseStore leases = new InMemoryLeaseStore();

	final CountingRunStore runs = new CountingRunStore();

	volatile long millis = System.currentTimeMillis();

	/** One more instance. */
	ApplicationContextRunner instance() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
					LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withPropertyValues("spring.application.name=orders", "leader-election.ttl=2s",
					"leader-election.cooldown=100ms")
			.withUserConfiguration(Scheduling.class)
			.withBean(LeaseStore.class, () -> this.leases)
			.withBean(RunStore.class, () -> this.runs);
	}

	/** One more instance, by the clock of the test. */
	ApplicationContextRunner instanceAt(Instant now) {
		this.millis = now.toEpochMilli();
		return instance().withBean(EngineClock.class, () -> new EngineClock() {

			@Override
			public long nanos() {
				return System.nanoTime();
			}

			@Override
			public long millis() {
				return JobContexts.this.millis;
			}

		});
	}

	@Nullable RunRecord find(String job) {
		JobKey key = new JobKey("orders", job);
		return this.runs.delegate.find(List.of(key), LONG).records().get(key);
	}

	@Nullable JobRun last(String job) {
		RunRecord record = find(job);
		return (record != null) ? record.last() : null;
	}

	static void awaitLeader(ApplicationContext context) {
		await().atMost(LONG).until(() -> context.getBean(LeaderElection.class).isLeader("orders"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	/** Keeps the names of the calls that change something or begin to. */
	static final class CountingRunStore implements RunStore {

		final InMemoryRunStore delegate = new InMemoryRunStore();

		final List<String> calls = new CopyOnWriteArrayList<>();

		volatile boolean broken;

		private void note(String call) {
			this.calls.add(call);
			if (this.broken) {
				throw new LeaseStoreException("The store is down", null);
			}
		}

		@Override
		public RunReading open(Collection<RunOpening> openings, Duration timeout) {
			note("open");
			return this.delegate.open(openings, timeout);
		}

		@Override
		public RunRecord start(RunStart start, Duration timeout) {
			note("start");
			return this.delegate.start(start, timeout);
		}

		@Override
		public boolean finish(RunEnd end, Duration timeout) {
			note("finish");
			return this.delegate.finish(end, timeout);
		}

		@Override
		public boolean cover(RunCover cover, Duration timeout) {
			note("cover");
			return this.delegate.cover(cover, timeout);
		}

		@Override
		public RunReading find(Collection<JobKey> keys, Duration timeout) {
			note("find");
			return this.delegate.find(keys, timeout);
		}

	}

}
