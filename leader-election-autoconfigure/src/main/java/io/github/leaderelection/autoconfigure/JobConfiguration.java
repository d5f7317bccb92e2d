package io.github.leaderelection.autoconfigure;

import java.time.Instant;
import java.util.concurrent.Executor;

import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.JobEventPublisher;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Records the runs of jobs in the store that keeps the leases, or in memory while leader
 * election is disabled.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(JobRuns.class)
class JobConfiguration {

	/** Found by the engine as one of its listeners. */
	@Bean
	RecordedJobs leaderElectionJobs(LeaderElectionProperties properties, ObjectProvider<LeaderElection> elections,
			ObjectProvider<RecordStores> stores, ObjectProvider<JobListener> listeners,
			ObjectProvider<EngineClock> clocks) {
		EngineClock clock = clocks.getIfAvailable(() -> EngineClock.SYSTEM);
		return new RecordedJobs(elections::getObject, stores(properties, stores, clock).store(RecordedJobs.RUNS),
				properties.prefix(), listeners.orderedStream().toList(), clock);
	}

	/**
	 * Return the stores to use: in memory if leader election is disabled or there is no
	 * store, which is possible only with a replacement for the engine.
	 */
	static RecordStores stores(LeaderElectionProperties properties, ObjectProvider<RecordStores> stores,
			EngineClock clock) {
		RecordStores kept = properties.enabled() ? stores.getIfAvailable() : null;
		return (kept != null) ? kept : new InMemoryRecordStores(() -> Instant.ofEpochMilli(clock.millis()));
	}

	@Bean
	JobSettings leaderElectionJobSettings(ElectionSettingsResolver settings, ObjectProvider<RecordedJobs> jobs) {
		return new JobSettings(jobs.getIfAvailable(), settings::startingDeadline);
	}

	@Bean
	JobEventPublisher leaderElectionJobEvents(ConfigurableApplicationContext context, Environment environment) {
		return new JobEventPublisher(context, callbackExecutor(environment));
	}

	static Executor callbackExecutor(Environment environment) {
		return threads("leader-election-callback-", environment);
	}

	/** Not a bean: otherwise Spring Boot would not create its own executor. */
	static Executor threads(String prefix, Environment environment) {
		return Threading.VIRTUAL.isActive(environment) ? new VirtualThreadTaskExecutor(prefix)
				: ElectionEngineBuilder.daemonThreads(prefix);
	}

}
