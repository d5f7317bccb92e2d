package io.github.leaderelection.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.engine.CandidateIdentity;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.spring.ElectionContextConfiguration;
import io.github.leaderelection.spring.LeaderElectionLifecycle;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leader election.
 * <p>
 * While leader election is disabled, the elections of this process are held in memory,
 * where it is the only candidate, or not at all.
 */
@AutoConfiguration
@EnableConfigurationProperties(LeaderElectionProperties.class)
public final class LeaderElectionAutoConfiguration {

	@Bean
	ElectionSettingsResolver electionSettingsResolver(LeaderElectionProperties properties) {
		return new ElectionSettingsResolver(properties);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LeaderElection.class)
	@Import({ JobConfiguration.class, ElectionContextConfiguration.class })
	static class EngineConfiguration {

		/**
		 * With other settings where a test has something to add to those of the resolver.
		 */
		@Bean
		ElectionEngine leaderElection(LeaderElectionProperties properties,
				Function<String, ElectionSettings> electionSettingsResolver, Environment environment,
				ObjectProvider<BuildProperties> build, ObjectProvider<RecordStores> stores,
				ObjectProvider<LeaseStore> leases, ObjectProvider<CandidateRegistry> registry,
				ObjectProvider<ElectionListener> listeners, ObjectProvider<EngineClock> clock,
				ConfigurableListableBeanFactory beanFactory) {
			String prefix = properties.getPrefix();
			RecordStores present = properties.isEnabled() ? stores.getIfAvailable() : new InMemoryRecordStores();
			LeaseStore own = properties.isEnabled() ? leases.getIfAvailable() : null;
			if (present == null && own == null) {
				throw NoLeaseStoreException.in(beanFactory);
			}
			RecordStores kept = (present != null) ? present : new InMemoryRecordStores();
			CandidateRegistry candidates = properties.isEnabled() ? registry.getIfAvailable() : null;
			return new ElectionEngine(identity(properties.getCandidate(), environment, build.getIfAvailable()),
					(own != null) ? own : RecordLeaseStore.forElections(kept, prefix),
					(candidates != null) ? candidates : new CandidateRegistry(kept, prefix),
					properties.isEnabled() ? electionSettingsResolver
							: electionSettingsResolver.andThen(ElectionSettingsResolver::withoutCooldown),
					callbackExecutor(environment), listeners.orderedStream().toList(),
					clock.getIfAvailable(() -> EngineClock.SYSTEM));
		}

		@Bean
		LeaderElectionLifecycle leaderElectionLifecycle(ObjectProvider<ElectionEngine> engines,
				ObjectProvider<Candidate> candidates, LeaderElectionProperties properties,
				ElectionSettingsResolver settings, ObjectProvider<LeaderReadiness> readiness, Environment environment) {
			StartupWarnings.log(properties, settings, environment);
			Set<String> elections = new LinkedHashSet<>(settings.electionsToStandIn());
			readiness.ifAvailable((required) -> elections.add(required.election()));
			boolean takingPart = properties.isEnabled() || properties.getWhenDisabled() == WhenDisabled.RUN;
			return new LeaderElectionLifecycle(engines.getIfAvailable(), candidates, elections, takingPart);
		}

		@Bean
		UnusedSettings unusedSettings(Environment environment, ElectionSettingsResolver settings,
				ObjectProvider<LeaderElection> elections) {
			return new UnusedSettings(environment, settings.configuredElections(), elections);
		}

		/** Found by the engine as one of its listeners. */
		@Bean
		ForeignLeaderWarning foreignLeaderWarning(ObjectProvider<ElectionEngine> engine) {
			return new ForeignLeaderWarning(engine::getIfAvailable);
		}

		private static CandidateRecord identity(LeaderElectionProperties.Candidate candidate, Environment environment,
				@Nullable BuildProperties build) {
			String version = candidate.getVersion();
			if (version == null && build != null) {
				version = build.getVersion();
			}
			if (version == null) {
				version = environment.getProperty("spring.application.version");
			}
			return CandidateIdentity.create(environment.getProperty("spring.application.name"), version,
					candidate.getAddress());
		}

		/** Not a bean: the application's own executor would back off. */
		static Executor callbackExecutor(Environment environment) {
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("leader-election-callback-");
			executor.setDaemon(true);
			executor.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
			return executor;
		}

	}

}
