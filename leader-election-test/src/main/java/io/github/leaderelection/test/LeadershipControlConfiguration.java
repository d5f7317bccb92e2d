package io.github.leaderelection.test;

import java.time.Instant;

import io.github.leaderelection.autoconfigure.ElectionSettingsSource;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;

/**
 * Replaces the database and the clock in a controlled test. The beans are primary, in
 * case the application has a store of its own. Imports the engine and the gate, for test
 * slices that lack them.
 */
@Configuration(proxyBeanMethods = false)
// One for a whole hierarchy of contexts
@ConditionalOnMissingBean(LeadershipControl.class)
@ImportAutoConfiguration({ LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
class LeadershipControlConfiguration {

	@Bean
	ContestedLeaseStore electionLeases() {
		return new ContestedLeaseStore();
	}

	@Bean
	@Primary
	HaltedClock haltedClock() {
		return new HaltedClock();
	}

	@Bean
	@Primary
	RecordStores controlledStores(HaltedClock clock) {
		return new InMemoryRecordStores(() -> Instant.ofEpochMilli(clock.millis()));
	}

	@Bean
	@Primary
	SeparateSessions separateSessions(@Qualifier("electionSettingsResolver") ElectionSettingsSource settings) {
		return new SeparateSessions(settings);
	}

	/**
	 * Fence nothing: the terms of a store in memory mean nothing to data that is stored
	 * elsewhere. Needed before other beans are processed.
	 */
	@Bean
	@Primary
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderFence controlledFence() {
		return LeaderFence.NONE;
	}

	/** Create locks that nobody else holds, on a clock that runs. */
	@Bean
	@Primary
	LockService controlledLocks() {
		return new LockService(LeaseStore.forLocks(new InMemoryRecordStores(), ""));
	}

	@Bean
	TestTurn testTurn() {
		return new TestTurn();
	}

	@Bean
	EndedTerms endedTerms() {
		return new EndedTerms();
	}

	@Bean
	LeadershipControl leadershipControl(ElectionEngine engine, ElectionSettingsSource settings,
			ContestedLeaseStore store, HaltedClock clock, EndedTerms ended, ObjectProvider<RecordedJobs> jobs) {
		return new LeadershipControl(engine, settings, store, clock, ended, () -> jobs.ifAvailable(RecordedJobs::look));
	}

}
