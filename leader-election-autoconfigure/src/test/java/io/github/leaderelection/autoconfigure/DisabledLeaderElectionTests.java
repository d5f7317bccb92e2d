package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what applications see while leader election is disabled.
 */
class DisabledLeaderElectionTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withBean(Job.class)
		.withPropertyValues("leader-election.enabled=false");

	@Test
	void gatedMethodRunsAndKnowsItsLeadership() {
		this.contextRunner.run((context) -> {
			LeaderElection elections = context.getBean(LeaderElection.class);
			await().until(() -> elections.isLeader("jobs"));
			assertThat(context.getBean(Job.class).run()).isEqualTo(1L);
		});
	}

	@Test
	void gatedMethodRunsBeforeAnyoneIsElected() {
		this.contextRunner.withBean(Early.class)
			.run((context) -> assertThat(context.getBean(Early.class).ran).isEqualTo("ran"));
	}

	@Test
	void gatedMethodIsSkippedWhenAskedFor() {
		this.contextRunner.withPropertyValues("leader-election.when-disabled=skip")
			.run((context) -> assertThat(context.getBean(Job.class).run()).isNull());
	}

	static class Job {

		private final LeaderElection elections;

		Job(LeaderElection elections) {
			this.elections = elections;
		}

		@LeaderOnly("jobs")
		Long run() {
			return this.elections.currentLeadership().term();
		}

		@LeaderOnly("jobs")
		String runPlain() {
			return "ran";
		}

	}

	static class Early {

		private final String ran;

		Early(Job job) {
			this.ran = job.runPlain();
		}

	}

}
