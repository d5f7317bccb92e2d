package io.github.leaderelection.autoconfigure;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executor;

import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.JobEventPublisher;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Records the runs of jobs: where leases are kept, or in memory while leader election is
 * disabled.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(JobRuns.class)
class JobConfiguration {

	/** Found by the engine as one of its listeners. */
	@Bean
	RecordedJobs jobRuns(LeaderElectionProperties properties, ObjectProvider<LeaderElection> elections,
			ObjectProvider<RecordStores> stores, ObjectProvider<RecordStore> runs,
			ObjectProvider<JobListener> listeners, ObjectProvider<EngineClock> clocks) {
		EngineClock clock = clocks.getIfAvailable(() -> EngineClock.SYSTEM);
		InstantSource instants = () -> Instant.ofEpochMilli(clock.millis());
		RecordStore store = properties.enabled() ? store(stores, runs) : null;
		// Where there is none, no job is accepted whose runs would have to be recorded.
		return new RecordedJobs(elections::getObject,
				(store != null) ? store : new InMemoryRecordStores(instants).store(RecordedJobs.RUNS),
				properties.prefix(), listeners.orderedStream().toList(), clock);
	}

	private static @Nullable RecordStore store(ObjectProvider<RecordStores> stores, ObjectProvider<RecordStore> runs) {
		RecordStores present = stores.getIfAvailable();
		return runs.getIfAvailable(() -> (present != null) ? present.store(RecordedJobs.RUNS) : null);
	}

	@Bean
	JobSettings jobSettings(LeaderElectionProperties properties, ElectionSettingsResolver settings,
			ObjectProvider<RecordedJobs> jobs, ObjectProvider<RecordStores> stores, ObjectProvider<RecordStore> runs) {
		boolean hasStore = !properties.enabled() || store(stores, runs) != null;
		return new JobSettings(jobs.getIfAvailable(), settings::startingDeadline, hasStore);
	}

	@Bean
	JobEventPublisher jobEventPublisher(ConfigurableApplicationContext context, Environment environment) {
		return new JobEventPublisher(context, callbackExecutor(environment));
	}

	/** Not a bean: the application's own executor would back off. */
	static Executor callbackExecutor(Environment environment) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("leader-election-callback-");
		executor.setDaemon(true);
		executor.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
		return executor;
	}

}
