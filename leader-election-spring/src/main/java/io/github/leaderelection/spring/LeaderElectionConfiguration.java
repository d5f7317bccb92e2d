package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.List;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.job.JobListener;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * The configuration that {@link EnableLeaderElection} imports. The auto-configuration for
 * Spring Boot declares the same beans from its properties, and imports the same classes.
 */
@Configuration(proxyBeanMethods = false)
@Import({ LeaderOnlyConfiguration.class, ElectionEventPublisher.class })
class LeaderElectionConfiguration {

	private final String prefix;

	private final String application;

	LeaderElectionConfiguration(Environment environment) {
		this.prefix = environment.getProperty("leader-election.prefix", "");
		this.application = environment.getProperty("spring.application.name", "application");
	}

	@Bean
	ElectionEngine leaderElection(RecordStores stores, ObjectProvider<ElectionEngineBuilder> builders,
			ObjectProvider<ElectionSettings> settings, ObjectProvider<ElectionListener> listeners) {
		ElectionEngineBuilder builder = builders
			.getIfAvailable(() -> ElectionEngine.builder(LeaseStore.forElections(stores, this.prefix))
				.registry(new CandidateRegistry(stores, this.prefix))
				.application(this.application));
		settings.ifAvailable(builder::settings);
		listeners.orderedStream().forEach(builder::listener);
		return builder.build();
	}

	@Bean
	LeaderElectionLifecycle leaderElectionLifecycle(ElectionEngine engine, ObjectProvider<Candidate> candidates,
			ObjectProvider<RecordedJobs> jobs) {
		return new LeaderElectionLifecycle(engine, candidates, List.of(), GateMode.ENFORCED, jobs.getIfAvailable());
	}

	/** The engine uses it as one of its listeners. */
	@Bean
	RecordedJobs leaderElectionJobs(RecordStores stores, ObjectProvider<LeaderElection> elections,
			ObjectProvider<JobListener> listeners) {
		return new RecordedJobs(elections::getObject, stores.store(RecordedJobs.RUNS), this.prefix,
				listeners.orderedStream().toList(), EngineClock.SYSTEM);
	}

	@Bean
	JobSettings leaderElectionJobSettings(RecordedJobs jobs, ObjectProvider<ElectionEngine> engine,
			ObjectProvider<ElectionSettings> settings) {
		Duration ttl = settings.stream().findFirst().map(ElectionSettings::ttl).orElse(ElectionSettings.DEFAULT_TTL);
		return new JobSettings(jobs,
				(election) -> JobSettings.startingDeadline(ttl(engine.getObject().status(), election, ttl)));
	}

	private static Duration ttl(EngineStatus status, String election, Duration others) {
		return status.elections()
			.stream()
			.filter((each) -> each.election().equals(election))
			.findFirst()
			.map(ElectionStatus::ttl)
			.orElse(others);
	}

	@Bean
	JobEventPublisher leaderElectionJobEvents(ConfigurableApplicationContext context) {
		return new JobEventPublisher(context, ElectionEngineBuilder.daemonThreads("leader-election-callback-"));
	}

}
