package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link StartupSelfCheck}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupSelfCheckTests {

	private static final Duration LONG = Duration.ofSeconds(90);

	private static final String LINE = "Leases are kept in database";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				MongoLeaderElectionAutoConfiguration.class, MongoAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "leader-election.elections.x.ttl=5s",
				"leader-election.elections.x.stand=true");

	@Test
	void isLoggedOnceAsSoonAsMongoIsReachable(CapturedOutput output) {
		try (MongoReplicaSet set = MongoReplicaSet.reserve(1)) {
			this.contextRunner.withPropertyValues("spring.mongodb.uri=" + set.uri("shop")).run((context) -> {
				assertThat(context).hasNotFailed();
				await().atMost(LONG).until(() -> output.getOut().contains("Leases can't be reached"));
				assertThat(isChecking()).isTrue();
				assertThat(output).doesNotContain(LINE);
				set.start();
				await().atMost(LONG).until(() -> output.getOut().contains(LINE));
				await().atMost(LONG).until(() -> context.getBean(LeaderElection.class).isLeader("x"));
				await().atMost(LONG).until(() -> !isChecking());
			});
			assertThat(output).containsOnlyOnce(LINE);
		}
	}

	@Test
	void hasNothingToCheckWithAMockInPlaceOfTheEngine() {
		this.contextRunner.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
			((BeanDefinitionRegistry) beanFactory).removeBeanDefinition("leaderElection");
			beanFactory.registerSingleton("leaderElection", Mockito.mock(LeaderElection.class));
		})).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(isChecking()).isFalse();
		});
	}

	private static boolean isChecking() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals("leader-election-self-check"));
	}

}
