package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordLeaseStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InvalidComponentFailureAnalyzer}, by way of those that are registered.
 */
class InvalidComponentFailureAnalyzerTests {

	@Test
	void namesKeyValueAndRemedy() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withBean(LeaseStore.class, () -> RecordLeaseStore.forElections(new InMemoryRecordStores(), ""))
			.withBean("feed", ThreadPoolTaskScheduler.class)
			.withPropertyValues("leader-election.elections.[my jobs].components=listener")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription())
					.isEqualTo("leader-election.elections.[my jobs].components (listener) can't be started and stopped "
							+ "with the leader: no bean and no container of listeners has this name.");
				assertThat(analysis.getAction()).isEqualTo("Name one of: [feed].");
			});
	}

	@Test
	void doesNotOfferWhatSpringBootRunsForItself() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class, TaskExecutionAutoConfiguration.class))
			.withBean(LeaseStore.class, () -> RecordLeaseStore.forElections(new InMemoryRecordStores(), ""))
			.withBean("taskScheduler", ThreadPoolTaskScheduler.class)
			.withBean("leaderElectionSelfCheck", ThreadPoolTaskScheduler.class)
			.withPropertyValues("leader-election.elections.jobs.components=listener")
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction())
				.isEqualTo("Let a bean implement Lifecycle, or give a container of listeners an id, as in "
						+ "@KafkaListener(id = \"orders\"): there is nothing yet that can be named."));
	}

}
