package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.spring.InvalidLeaderOnlyException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an {@link InvalidLeaderOnlyException}.
 */
final class InvalidLeaderOnlyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLeaderOnlyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLeaderOnlyException cause) {
		return new FailureAnalysis(cause.getDescription() + ".", cause.getRemedy() + ".", cause);
	}

}
