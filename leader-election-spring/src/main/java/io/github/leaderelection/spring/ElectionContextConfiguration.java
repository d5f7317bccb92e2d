package io.github.leaderelection.spring;

import io.github.leaderelection.engine.ElectionEngine;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ties an engine to its application context, whoever makes it.
 */
@Configuration(proxyBeanMethods = false)
public class ElectionContextConfiguration {

	@Bean
	LeaderElectionClosing leaderElectionClosing(ApplicationContext context, ObjectProvider<ElectionEngine> engines) {
		return new LeaderElectionClosing(context, engines);
	}

	/** Found by the engine as one of its listeners. */
	@Bean
	ElectionEventPublisher electionEventPublisher(ApplicationEventPublisher publisher) {
		return new ElectionEventPublisher(publisher);
	}

}
