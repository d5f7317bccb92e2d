package io.github.leaderelection.test;

import java.util.function.Function;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * What a test under control puts in the place of MongoDB and the clock. Primary, in case
 * the application has a store of its own.
 */
@Configuration(proxyBeanMethods = false)
class LeadershipControlConfiguration {

	@Bean
	@Primary
	ContestedLeaseStore contestedLeaseStore() {
		return new ContestedLeaseStore();
	}

	@Bean
	@Primary
	HaltedClock haltedClock() {
		return new HaltedClock();
	}

	@Bean
	EndedTerms endedTerms() {
		return new EndedTerms();
	}

	@Bean
	LeadershipControl leadershipControl(ElectionEngine engine, Function<String, ElectionSettings> settings,
			ContestedLeaseStore store, HaltedClock clock, EndedTerms ended) {
		return new LeadershipControl(engine, settings, store, clock, ended);
	}

}
