package io.github.leaderelection.autoconfigure;

import java.time.Instant;
import java.time.InstantSource;

import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration.EngineConfiguration;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.JobEventPublisher;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.store.InMemoryRecordStore;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

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
		RecordStore store = properties.isEnabled() ? store(stores, runs) : null;
		// Where there is none, no job is accepted whose runs would have to be recorded.
		return new RecordedJobs(elections::getObject, (store != null) ? store : new InMemoryRecordStore(instants),
				properties.getPrefix(), listeners.orderedStream().toList(), clock);
	}

	private static @Nullable RecordStore store(ObjectProvider<RecordStores> stores, ObjectProvider<RecordStore> runs) {
		RecordStores present = stores.getIfAvailable();
		return runs.getIfAvailable(() -> (present != null) ? present.store(RecordedJobs.RUNS) : null);
	}

	/** None where a test has put a mock in place of the jobs. */
	@Bean
	@Nullable JobSettings jobSettings(LeaderElectionProperties properties, ElectionSettingsResolver settings,
			ObjectProvider<RecordedJobs> jobs, ObjectProvider<RecordStores> stores, ObjectProvider<RecordStore> runs) {
		RecordedJobs present = jobs.getIfAvailable();
		if (present == null) {
			return null;
		}
		boolean hasStore = !properties.isEnabled() || store(stores, runs) != null;
		return new JobSettings(present, settings::startingDeadline, hasStore);
	}

	@Bean
	JobEventPublisher jobEventPublisher(ConfigurableApplicationContext context, Environment environment) {
		return new JobEventPublisher(context, EngineConfiguration.callbackExecutor(environment));
	}

}
