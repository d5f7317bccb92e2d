package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.engine.CandidateIdentity;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.ElectionEventPublisher;
import io.github.leaderelection.spring.LeaderElectionLifecycle;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leader election.
 * <p>
 * While leader election is disabled, the elections of this process are held in memory,
 * where it is the only candidate, or not at all.
 */
@AutoConfiguration
@EnableConfigurationProperties(LeaderElectionProperties.class)
public final class LeaderElectionAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElectionAutoConfiguration.class);

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);

	@Bean
	ElectionSettingsResolver electionSettingsResolver(LeaderElectionProperties properties) {
		return new ElectionSettingsResolver(properties);
	}

	/** Warn of settings that are valid but may surprise. */
	private static void warn(LeaderElectionProperties properties, ElectionSettingsResolver settings,
			Environment environment) {
		if (LeaderElectionTestSliceAutoConfiguration.isActive(environment)) {
			logger.info("Leader election is disabled in this test slice, which has no store for leases: this process "
					+ "leads all elections, unless leader-election.when-disabled is 'skip'");
			return;
		}
		if (!properties.enabled()) {
			warnOfDisabled(properties.whenDisabled());
			return;
		}
		Duration drainTimeout = settings.longestDrainTimeout();
		Duration phaseTimeout = Binder.get(environment)
			.bind(PHASE_TIMEOUT, Duration.class)
			.orElse(DEFAULT_PHASE_TIMEOUT);
		if (drainTimeout.compareTo(phaseTimeout) >= 0) {
			logger.warn("leader-election drain-timeout ({}) is not shorter than {} ({}): shutdown may end "
					+ "before work in flight does, and leave leases to expire. Shorten the former or raise the latter",
					ReadableDuration.exact(drainTimeout), PHASE_TIMEOUT, ReadableDuration.exact(phaseTimeout));
		}
	}

	private static void warnOfDisabled(WhenDisabled whenDisabled) {
		switch (whenDisabled) {
			case RUN -> logger.warn("Leader election is disabled (leader-election.enabled=false): this process leads "
					+ "all elections, even if others lead them too (leader-election.when-disabled=run)");
			case SKIP -> logger.warn("Leader election is disabled (leader-election.enabled=false): this process "
					+ "leads no election (leader-election.when-disabled=skip)");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LeaderElection.class)
	@Import({ JobConfiguration.class, ElectionEventPublisher.class })
	static class EngineConfiguration {

		/**
		 * Create the engine. A test may adapt the settings of the resolver.
		 */
		@Bean
		ElectionEngine leaderElection(LeaderElectionProperties properties,
				ElectionSettingsSource electionSettingsResolver, Environment environment,
				ObjectProvider<BuildProperties> build, ObjectProvider<RecordStores> stores,
				@Qualifier("electionLeases") ObjectProvider<LeaseStore> leases,
				ObjectProvider<ElectionListener> listeners, ObjectProvider<EngineClock> clocks,
				ConfigurableListableBeanFactory beanFactory) {
			String prefix = properties.prefix();
			EngineClock clock = clocks.getIfAvailable(() -> EngineClock.SYSTEM);
			if (properties.enabled() && stores.getIfAvailable() == null) {
				throw NoLeaseStoreException.in(beanFactory, properties.store());
			}
			RecordStores kept = JobConfiguration.stores(properties, stores, clock);
			LeaseStore own = LeaseStore.forElections(kept, prefix);
			return new ElectionEngine(identity(properties.candidate(), environment, build.getIfAvailable()),
					// Tests may let others take leases, except those of locks.
					properties.enabled() ? leases.getIfAvailable(() -> own) : own, new CandidateRegistry(kept, prefix),
					electionSettingsResolver::settings, JobConfiguration.callbackExecutor(environment),
					listeners.orderedStream().toList(), clock);
		}

		@Bean
		LeaderElectionLifecycle leaderElectionLifecycle(ObjectProvider<ElectionEngine> engines,
				ObjectProvider<Candidate> candidates, LeaderElectionProperties properties,
				ElectionSettingsResolver settings, ObjectProvider<LeaderReadiness> readiness,
				ObjectProvider<RecordedJobs> jobs, Environment environment) {
			warn(properties, settings, environment);
			Set<String> elections = new LinkedHashSet<>();
			properties.elections().forEach((name, election) -> {
				if (election.stand()) {
					elections.add(name);
				}
			});
			readiness.ifAvailable((required) -> elections.add(required.election()));
			return new LeaderElectionLifecycle(engines.getIfAvailable(), candidates, elections, properties.mode(),
					jobs.getIfAvailable());
		}

		@Bean
		UnusedSettings unusedSettings(Environment environment, LeaderElectionProperties properties,
				ObjectProvider<LeaderElection> elections) {
			return new UnusedSettings(environment, properties.elections().keySet(), elections);
		}

		/** Found by the engine as one of its listeners. */
		@Bean
		ForeignLeaderWarning foreignLeaderWarning(ObjectProvider<ElectionEngine> engine) {
			return new ForeignLeaderWarning(engine::getIfAvailable);
		}

		private static CandidateRecord identity(LeaderElectionProperties.Candidate candidate, Environment environment,
				@Nullable BuildProperties build) {
			String version = candidate.version();
			if (version == null && build != null) {
				version = build.getVersion();
			}
			if (version == null) {
				version = environment.getProperty("spring.application.version");
			}
			return CandidateIdentity.create(environment.getProperty("spring.application.name"), version,
					candidate.address());
		}

	}

}
