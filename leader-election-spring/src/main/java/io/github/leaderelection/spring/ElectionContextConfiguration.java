package io.github.leaderelection.spring;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.job.RecordedJobs;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Ties an engine and its jobs to their application context, whoever makes them.
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

	/** None where a test has put a mock in place of the jobs. */
	@Bean
	@Nullable RecordedJobsLifecycle recordedJobsLifecycle(ObjectProvider<RecordedJobs> jobs) {
		RecordedJobs present = jobs.getIfAvailable();
		return (present != null) ? new RecordedJobsLifecycle(present) : null;
	}

}
