package io.github.leaderelection.autoconfigure;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Spring Boot would report of a failed start.
 */
final class FailureAnalyses {

	private FailureAnalyses() {
	}

	static FailureAnalysis of(AssertableApplicationContext context) {
		FailureAnalysis analysis = new StartupFailureAnalyzer().analyze(context.getStartupFailure());
		assertThat(analysis).as("analysis of %s", context.getStartupFailure()).isNotNull();
		return analysis;
	}

}
