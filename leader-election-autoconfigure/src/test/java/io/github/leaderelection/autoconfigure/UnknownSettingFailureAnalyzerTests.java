package io.github.leaderelection.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link UnknownSettingFailureAnalyzer}, as people meet it.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownSettingFailureAnalyzerTests {

	@Test
	void tellsWhatAnElectionHas(CapturedOutput output) {
		start("--leader-election.elections.reports.starting-deadlin=6h");
		assertThat(output).contains(
				"leader-election.elections.reports.starting-deadlin is not a known property (from \"leader-election."
						+ "elections.reports.starting-deadlin\" from property source \"commandLineArgs\").")
			.contains("Remove it, or use one of these under leader-election.elections.reports: component-failure, "
					+ "components, cooldown, drain-timeout, operation-timeout, poll-interval, renew-interval, "
					+ "safety-margin, stand, starting-deadline, ttl.");
	}

	@Test
	void tellsWhatThereIsForAll(CapturedOutput output) {
		start("--leader-election.tll=6h");
		assertThat(output).contains("leader-election.tll is not a known property")
			.contains("under leader-election: candidate, component-failure, cooldown,")
			.contains(" elections, enabled, gate, ")
			.contains(" ttl, ");
	}

	@Test
	void tellsWhatAGroupHas(CapturedOutput output) {
		start("--leader-election.mongodb.databse=x");
		assertThat(output).contains("under leader-election.mongodb: create-indexes, database.");
	}

	@Test
	void leavesOthersToSpringBoot(CapturedOutput output) {
		start("--other.nme=x", Others.class);
		assertThat(output).contains("Property: other.nme").doesNotContain("is not a known property");
	}

	private static void start(String argument, Class<?>... more) {
		SpringApplication application = new SpringApplication(Application.class);
		for (Class<?> source : more) {
			application.addPrimarySources(List.of(source));
		}
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(
				() -> application.run("--spring.main.banner-mode=off", "--leader-election.enabled=false", argument));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderElectionAutoConfiguration.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Other.class)
	static class Others {

	}

	@ConfigurationProperties(prefix = "other", ignoreUnknownFields = false)
	static class Other {

		private String name = "";

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

	}

}
