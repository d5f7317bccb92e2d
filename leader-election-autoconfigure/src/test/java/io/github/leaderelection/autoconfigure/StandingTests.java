package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Optional;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.store.InMemoryRecordStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

/**
 * Tests in which elections an application stands, and what it can run there.
 */
@ExtendWith(OutputCaptureExtension.class)
class StandingTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void settingsAloneMakeNoCandidate(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("leader-election.elections.worker.ttl=10s",
				"leader-election.elections.[odd/name].ttl=10s", "leader-election.elections.invoices.ttl=10s")) {
			LeaderElection elections = context.getBean(LeaderElection.class);
			assertThat(elections.elections()).containsExactly("invoices");
			assertThatExceptionOfType(UnknownElectionException.class)
				.isThrownBy(() -> elections.runIfLeader("worker", (leadership) -> {
				}))
				.withMessage(
						"This instance does not stand in election 'worker'. It stands in: invoices. Declare a Candidate for it, name it "
								+ "in @LeaderOnly, or set leader-election.elections.worker.stand=true");
			assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> elections.isLeader("odd/name"))
				.withMessageEndingWith("set leader-election.elections.[odd/name].stand=true");
			assertThat(output)
				.contains("The settings of leader-election.elections.worker have no effect so far",
						"The settings of leader-election.elections.[odd/name] have no effect so far")
				.doesNotContain("elections.invoices have no effect");
		}
	}

	@Test
	void standPropertyMakesACandidate(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("leader-election.elections.worker.stand=true",
				"leader-election.elections.invoices.stand=false")) {
			LeaderElection elections = context.getBean(LeaderElection.class);
			assertThat(elections.elections()).containsExactlyInAnyOrder("worker", "invoices");
			await().atMost(LONG).until(() -> elections.isLeader("worker"));
			assertThat(output).doesNotContain("have no effect so far");
		}
	}

	@Test
	void workOfTheLeaderReturnsItsResult() {
		try (ConfigurableApplicationContext context = start("leader-election.elections.worker.stand=true")) {
			LeaderElection elections = context.getBean(LeaderElection.class);
			await().atMost(LONG).until(() -> elections.isLeader("worker"));
			Optional<Long> term = elections.callIfLeader("worker", (leadership) -> {
				assertThat(elections.currentLeadership()).isSameAs(leadership);
				return leadership.term();
			});
			assertThat(term).contains(1L);
			assertThatNullPointerException().isThrownBy(() -> elections.callIfLeader("worker", (leadership) -> null))
				.withMessageContaining("callIfLeader returned null");
			assertThat(elections.callIfLeader("worker", (leadership) -> "again")).contains("again");
		}
	}

	@Test
	void workOfAFollowerReturnsNothing() {
		try (ConfigurableApplicationContext context = start("leader-election.elections.worker.stand=true",
				"leader-election.enabled=false", "leader-election.when-disabled=skip")) {
			assertThat(context.getBean(LeaderElection.class).callIfLeader("worker", (leadership) -> {
				throw new AssertionError("run on a follower");
			})).isEmpty();
		}
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(Application.class).properties(properties)
			.properties("spring.main.web-application-type=none")
			.run();
	}

	@Import({ Invoices.class, InMemoryRecordStores.class })
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	static class Application {

	}

	static class Invoices {

		@LeaderOnly("invoices")
		public void send() {
		}

	}

}
