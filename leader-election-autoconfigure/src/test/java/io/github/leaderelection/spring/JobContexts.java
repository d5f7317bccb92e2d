package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.job.StoredRuns;
import io.github.leaderelection.store.InMemoryRecordStore;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
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

	final RecordLeaseStore leases = RecordLeaseStore.forElections(new InMemoryRecordStores(), "");

	volatile long millis = System.currentTimeMillis();

	volatile boolean halted;

	/** Its clock is that of the instances. */
	final CountingRecordStore runs = new CountingRecordStore(
			() -> this.halted ? Instant.ofEpochMilli(this.millis) : Instant.now());

	/** One more instance. */
	ApplicationContextRunner instance() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
					LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withPropertyValues("spring.application.name=orders", "leader-election.ttl=2s",
					"leader-election.cooldown=100ms")
			.withUserConfiguration(Scheduling.class)
			.withBean(LeaseStore.class, () -> this.leases)
			.withBean(RecordStore.class, () -> this.runs);
	}

	/** One more instance, by the clock of the test. */
	ApplicationContextRunner instanceAt(Instant now) {
		this.millis = now.toEpochMilli();
		this.halted = true;
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

	/** The records, whatever becomes of the calls of the instances. */
	StoredRuns stored() {
		return new StoredRuns(this.runs.delegate);
	}

	@Nullable RunRecord find(String job) {
		return stored().find(new JobKey("orders", job));
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
	static final class CountingRecordStore implements RecordStore {

		final RecordStore delegate;

		final List<String> calls = new CopyOnWriteArrayList<>();

		volatile boolean broken;

		CountingRecordStore(InstantSource clock) {
			this.delegate = new InMemoryRecordStore(clock);
		}

		private void note(String call) {
			this.calls.add(call);
			if (this.broken) {
				throw new LeaseStoreException("The store is down", null);
			}
		}

		@Override
		public RecordReading read(Collection<String> ids, Duration timeout) {
			note("read");
			return this.delegate.read(ids, timeout);
		}

		@Override
		public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
			note("insert");
			return this.delegate.insert(records, timeout);
		}

		@Override
		public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
			note("replace");
			return this.delegate.replace(changed, timeout);
		}

		@Override
		public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Instant now(Duration timeout) {
			return this.delegate.now(timeout);
		}

	}

}
