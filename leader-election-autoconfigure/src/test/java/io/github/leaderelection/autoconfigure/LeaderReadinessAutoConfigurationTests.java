package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderReadinessAutoConfiguration}.
 */
class LeaderReadinessAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderReadinessAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withPropertyValues("spring.application.name=shop");

	private final ApplicationContextRunner leaderOnly = this.contextRunner
		.withPropertyValues("leader-election.readiness=leader");

	@Test
	void leaderIsReadyWhenTheApplicationIs() {
		this.leaderOnly.withPropertyValues("leader-election.default-election=payments").run((context) -> {
			assertThat(context).hasSingleBean(ApplicationAvailability.class);
			assertThat(context.getBean(LeaderElection.class).elections()).containsExactly("payments");
			await().until(() -> context.getBean(LeaderElection.class).isLeader("payments"));
			ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);
			assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
			AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
			assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
			LeaderElection elections = context.getBean(LeaderElection.class);
			// As soon as a handover begins, even while work drains.
			assertThat(elections.runIfLeader("payments", (leadership) -> {
				elections.resign("payments");
				assertThat(leadership.isHeld()).isTrue();
				assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
			})).isTrue();
			assertThat(availability.getLivenessState()).isEqualTo(LivenessState.CORRECT);
		});
	}

	@Test
	void disabledProcessInSkipModeIsNotReady() {
		this.leaderOnly.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=skip")
			.run((context) -> {
				AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
				AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
				ApplicationAvailability availability = context.getBean(ApplicationAvailability.class);
				assertThat(availability.getReadinessState()).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
				assertThat(availability.getState(ReadinessState.class)).isEqualTo(ReadinessState.REFUSING_TRAFFIC);
				assertThat(availability.getLivenessState()).isEqualTo(LivenessState.CORRECT);
			});
	}

	@Test
	void applicationWithMockedElectionIsNotReady() {
		this.leaderOnly.withBean(LeaderElection.class, () -> Mockito.mock()).run((context) -> {
			AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			assertThat(context.getBean(ApplicationAvailability.class).getReadinessState())
				.isEqualTo(ReadinessState.REFUSING_TRAFFIC);
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			spring.application.name=              | leader-election.readiness-election (blank) must name the election
			leader-election.readiness-election=%s | leader-election.readiness-election
			""")
	void electionMustHaveAValidName(String property, String description) {
		this.leaderOnly.withPropertyValues(property.formatted("x".repeat(201))).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(FailureAnalyses.of(context).getDescription()).contains(description);
		});
	}

}
