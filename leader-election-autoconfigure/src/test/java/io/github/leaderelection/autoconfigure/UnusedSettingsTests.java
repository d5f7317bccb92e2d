package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnusedSettings}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnusedSettingsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			tll                                   | ttl
			drain-time-out                        |
			wen-disabled                          | when-disabled
			mongodb.databse                       | mongodb.database
			lock.ttl                              | locks
			locks.tll                             | locks.ttl
			elections.reports.starting-deadlin    | elections.reports.starting-deadline
			elections[night/ly].stnd              | elections[night/ly].stand
			elections.nightly.report.ttl          | elections.nightly
			elections.reports.components[0]       |
			elections.reports.startingDeadline    |
			""")
	void closestPropertyIsNamed(String name, String closest, CapturedOutput output) {
		start("--leader-election." + name + "=1m");
		if (closest != null) {
			assertThat(output).containsOnlyOnce("leader-election.%s (from \"leader-election.%s\" from property source "
				.formatted(name, name)
					+ "\"commandLineArgs\") is not a known property, and has no effect. Did you mean leader-election."
					+ closest);
		}
		else {
			assertThat(output).doesNotContain("not a known property");
		}
	}

	@Test
	void unrelatedPropertiesCauseNoWarning(CapturedOutput output) {
		start("--leader-elections.ttl=1m", "--leader.election=1m");
		assertThat(output).doesNotContain("not a known property");
	}

	@ParameterizedTest
	@ValueSource(strings = { "elections.nightlyreport.ttl", "elections.[nihgtly/report].ttl",
			"elections.nightly/report.ttl" })
	void closestElectionIsNamed(String name, CapturedOutput output) {
		start("--leader-election.elections.[nightly/report].stand=true", "--leader-election." + name + "=1m");
		assertThat(output).contains("have no effect so far")
			.contains("stand in it all the same. Did you mean leader-election.elections.[nightly/report]?");
	}

	/** All instances may have the settings of all shards. */
	@ParameterizedTest
	@CsvSource({ "audits, WARN", "shard-2, INFO" })
	void similarElectionCausesWarningIfItHasNoSettings(String election, String level, CapturedOutput output) {
		start("--leader-election.elections.shard-1.stand=true", "--leader-election.elections." + election + ".ttl=1m");
		assertThat(output.getOut().lines().filter((line) -> line.contains("have no effect so far")))
			.allMatch((line) -> line.contains(level + " ") && line.contains("Did you mean"))
			.isNotEmpty();
	}

	@Test
	void dissimilarElectionGetsNoSuggestion(CapturedOutput output) {
		start("--leader-election.elections.reports.stand=true", "--leader-election.elections.mail.ttl=1m");
		assertThat(output).contains("leader-election.elections.mail have no effect so far")
			.doesNotContain("Did you mean");
	}

	/** Start with a child context, which has the same settings. */
	private static void start(String... arguments) {
		ApplicationContext child = new SpringApplicationBuilder(Application.class)
			.properties("spring.main.banner-mode=off", "leader-election.enabled=false")
			.child(Object.class)
			.web(WebApplicationType.NONE)
			.run(arguments);
		((ConfigurableApplicationContext) child.getParent()).close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaderElectionAutoConfiguration.class)
	static class Application {

		@Bean
		Candidate candidate() {
			return new Candidate() {

				@Override
				public String election() {
					return "audit";
				}

				@Override
				public void onElected(Leadership leadership) {
				}

			};
		}

	}

}
