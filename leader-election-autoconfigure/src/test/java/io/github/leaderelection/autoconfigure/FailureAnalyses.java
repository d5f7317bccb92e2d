package io.github.leaderelection.autoconfigure;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The failure analysis that Spring Boot would report.
 */
final class FailureAnalyses {

	private FailureAnalyses() {
	}

	/**
	 * Assert that the start has failed, and how the description and the action begin.
	 */
	static void assertFailure(AssertableApplicationContext context, String description, String action) {
		FailureAnalysis analysis = of(context);
		assertThat(analysis.getDescription()).startsWith(description);
		assertThat(analysis.getAction()).startsWith(action);
	}

	static FailureAnalysis of(AssertableApplicationContext context) {
		FailureAnalysis analysis = new StartupFailureAnalyzer(null).analyze(context.getStartupFailure());
		assertThat(analysis).as("analysis of %s", context.getStartupFailure()).isNotNull();
		return analysis;
	}

}
