package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link StartupFailureAnalyzer}.
 */
class StartupFailureAnalyzerTests {

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void descriptionAndActionAreReported(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--spring.main.banner-mode=off"));
		String separator = System.lineSeparator();
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Description:" + separator + separator + "@LeaderOnly on " + Jobs.class.getName()
					+ ".count() can't be enforced: a skipped call has no int to return." + separator)
			.contains("Action:" + separator + separator + "Return void or Optional, or use otherwise = THROW."
					+ separator);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void propertySourceOfTheValueIsReported(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Elections.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--leader-election.cooldown=-1ms"));
		assertThat(output).contains("leader-election.cooldown (-1 ms) must be between 0 s and 1 d. "
				+ "leader-election.cooldown is set by \"leader-election.cooldown\" from property source \"commandLineArgs\".");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			feed                    | Name one of: [feed].
			taskScheduler           | Let a bean implement Lifecycle, or give a listener container an id
			""")
	void unknownComponentIsReported(String present, String action) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withBean(RecordStores.class, InMemoryRecordStores::new)
			.withBean(present, ThreadPoolTaskScheduler.class)
			.withPropertyValues("leader-election.elections.[my jobs].components=listener")
			.run((context) -> FailureAnalyses.assertFailure(context,
					"leader-election.elections.[my jobs].components (listener) can't be started and stopped "
							+ "with the leader: no bean or listener container has this name.",
					action));
	}

	@Test
	void otherFailuresAreLeftToSpringBoot() {
		assertThat(new StartupFailureAnalyzer(null).analyze(new IllegalStateException(new NullPointerException())))
			.isNull();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderOnlyAutoConfiguration.class)
	@Import(Jobs.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderElectionAutoConfiguration.class)
	static class Elections {

	}

	static class Jobs {

		@LeaderOnly("counts")
		public int count() {
			return 1;
		}

	}

}
