package io.github.leaderelection.autoconfigure;

import java.util.Set;
import java.util.stream.Collectors;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.engine.RecordingCandidate;
import io.github.leaderelection.metrics.LeaderElectionMetrics;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionMetricsAutoConfiguration}.
 */
class LeaderElectionMetricsAutoConfigurationTests {

	private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, LeaderElectionMetricsAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withPropertyValues("leader-election.elections.configured.ttl=10s",
				"leader-election.elections.configured.stand=true");

	private final ApplicationContextRunner contextRunner = this.withoutRegistry
		.withConfiguration(
				AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
		.withBean("first", MeterRegistry.class, SimpleMeterRegistry::new);

	@Test
	void backsOffWithoutMeterRegistry() {
		this.withoutRegistry
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElectionMetrics.class));
	}

	@Test
	void backsOffWithoutMetricsOfSpringBoot() {
		this.withoutRegistry.withBean(SimpleMeterRegistry.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.micrometer.metrics"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderElectionMetrics"));
	}

	@Test
	void metersAreRegisteredBeforeTheFirstMeasurement() {
		this.contextRunner.withBean(Job.class)
			.withBean(RecordingCandidate.class, () -> new RecordingCandidate("candidate"))
			.run((context) -> assertThat(elections(context.getBean(MeterRegistry.class)))
				.containsExactlyInAnyOrder("configured", "annotated", "candidate"));
	}

	@Test
	void metersAreInEachRegistry() {
		this.contextRunner.withBean("second", MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			LeaderElection leaderElection = context.getBean(LeaderElection.class);
			await().until(() -> leaderElection.isLeader("configured"));
			for (String name : Set.of("first", "second")) {
				MeterRegistry registry = context.getBean(name, MeterRegistry.class);
				await().until(() -> registry.get("leader.election.transitions")
					.tags("election", "configured", "reason", "elected")
					.counter()
					.count() == 1);
			}
		});
	}

	@Test
	void metersOfScheduledJobsAreRegisteredBeforeTheyRun() {
		this.contextRunner.withBean("second", MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(YearlyJob.class)
			.withUserConfiguration(Scheduling.class)
			.run((context) -> {
				for (MeterRegistry registry : Set.of(context.getBean("first", MeterRegistry.class),
						context.getBean("second", MeterRegistry.class))) {
					assertThat(registry.get("leader.election.job.late")
						.tags("election", "yearly", "name", "report")
						.timer()
						.count()).isZero();
					await().until(() -> registry.get("leader.election.job.next").timeGauge().value() > 0);
				}
			});
	}

	private static Set<String> elections(MeterRegistry registry) {
		return registry.getMeters()
			.stream()
			.map(Meter::getId)
			.map((id) -> id.getTag("election"))
			.filter((election) -> election != null)
			.collect(Collectors.toSet());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class YearlyJob {

		@Scheduled(cron = "0 0 10 1 1 *")
		@LeaderOnly(value = "yearly", job = "report")
		void run() {
		}

	}

	static class Job {

		@LeaderOnly("annotated")
		void run() {
		}

	}

}
