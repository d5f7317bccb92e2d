package io.github.leaderelection.autoconfigure;

import java.time.Instant;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.metrics.LeaderElectionMetrics;
import io.github.leaderelection.metrics.RecordedJobMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the metrics of leader election.
 */
@AutoConfiguration(after = { DistributedLocksAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
		CompositeMeterRegistryAutoConfiguration.class })
@ConditionalOnClass({ MeterBinder.class, CompositeMeterRegistryAutoConfiguration.class })
@ConditionalOnBooleanProperty(name = "leader-election.enabled", matchIfMissing = true)
@ConditionalOnBean({ ElectionEngine.class, MeterRegistry.class })
public final class LeaderElectionMetricsAutoConfiguration {

	/** Found by the engine as one of its listeners. */
	@Bean
	@ConditionalOnMissingBean
	LeaderElectionMetrics leaderElectionMetrics(ObjectProvider<ElectionEngine> engine) {
		return new LeaderElectionMetrics(engine::getIfAvailable);
	}

	@Bean
	@ConditionalOnMissingBean(name = "lockMetrics")
	MeterBinder lockMetrics(ObjectProvider<LockService> locks) {
		return (registry) -> locks.ifAvailable((measured) -> {
			Gauge.builder("leader.election.locks.held", measured, LockService::held)
				.description("Locks that this process holds")
				.register(registry);
			Gauge.builder("leader.election.locks.waiting", measured, LockService::waiting)
				.description("Attempts of this process to acquire a lock that are waiting")
				.register(registry);
		});
	}

	/** Found by the recorded jobs as one of their listeners. */
	@Bean
	@ConditionalOnMissingBean
	RecordedJobMetrics recordedJobMetrics(ObjectProvider<RecordedJobs> jobs, ObjectProvider<EngineClock> clocks) {
		EngineClock clock = clocks.getIfAvailable(() -> EngineClock.SYSTEM);
		return new RecordedJobMetrics(jobs::getIfAvailable, () -> Instant.ofEpochMilli(clock.millis()));
	}

}
