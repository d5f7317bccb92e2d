package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.Optional;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.actuate.ElectionDescriptor;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.actuate.LeaderElectionEndpointWebExtension;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionEndpointAutoConfiguration}.
 */
class LeaderElectionEndpointAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderElectionEndpointAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new);

	private final ApplicationContextRunner exposed = this.contextRunner
		.withPropertyValues("management.endpoints.web.exposure.include=leaderelection");

	@Test
	void isThereWhereItIsExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(LeaderElectionEndpoint.class)
			.hasSingleBean(LeaderElectionEndpointWebExtension.class));
	}

	@Test
	void isNotThereByDefault() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(LeaderElectionEndpoint.class));
	}

	@Test
	void isNotThereWithoutAccess() {
		this.exposed.withPropertyValues("management.endpoint.leaderelection.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaderElectionEndpoint.class));
	}

	@Test
	void hasNothingForTheWebWhereItIsExposedOverJmxOnly() {
		this.contextRunner
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=leaderelection")
			.run((context) -> assertThat(context).hasSingleBean(LeaderElectionEndpoint.class)
				.doesNotHaveBean(LeaderElectionEndpointWebExtension.class));
	}

	@Test
	void isNotThereWithoutActuatorOnTheClassPath() {
		this.exposed.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderElectionEndpoint"));
	}

	@Test
	void backsOff() {
		this.exposed
			.withBean("own", LeaderElectionEndpoint.class,
					() -> new LeaderElectionEndpoint(Mockito.mock(LeaderElection.class), () -> null,
							(election, successor) -> Optional.empty(), (election, suspended) -> false, () -> null,
							List.of()))
			.run((context) -> assertThat(context).hasSingleBean(LeaderElectionEndpoint.class).hasBean("own"));
	}

	@Test
	void showsNoMoreThanTheApplicationAllows() {
		this.exposed.withBean(SanitizingFunction.class, () -> SanitizingFunction.sanitizeValue().ifKeyEquals("host"))
			.withPropertyValues("leader-election.elections.x.ttl=20s", "leader-election.elections.x.stand=true",
					"leader-election.candidate.version=7", "spring.application.version=8")
			.run((context) -> {
				LeaderElectionEndpoint endpoint = context.getBean(LeaderElectionEndpoint.class);
				await().untilAsserted(() -> {
					ElectionDescriptor election = endpoint.election("x");
					assertThat(election.leader()).isNotNull();
					assertThat(election.leader().host()).isEqualTo("******");
					assertThat(election.leader().version()).isEqualTo("7");
				});
			});
	}

}
