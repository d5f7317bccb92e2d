package io.github.leaderelection.autoconfigure;

import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
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
		assertThat(output).contains("under leader-election.mongodb: database.");
	}

	@Test
	void leavesOthersToSpringBoot() {
		ConfigurationProperty other = new ConfigurationProperty(ConfigurationPropertyName.of("other.nme"), "x", null);
		assertThat(
				new UnknownSettingFailureAnalyzer().analyze(new UnboundConfigurationPropertiesException(Set.of(other))))
			.isNull();
	}

	private static void start(String argument) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(
				() -> application.run("--spring.main.banner-mode=off", "--leader-election.enabled=false", argument));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderElectionAutoConfiguration.class)
	static class Application {

	}

}
