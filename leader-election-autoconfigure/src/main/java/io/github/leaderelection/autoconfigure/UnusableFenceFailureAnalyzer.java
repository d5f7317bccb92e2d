package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.fence.UnusableFenceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an {@link UnusableFenceException}.
 */
final class UnusableFenceFailureAnalyzer extends AbstractFailureAnalyzer<UnusableFenceException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnusableFenceException cause) {
		return new FailureAnalysis("Transactions can't be fenced: " + cause.getReason() + ".", cause.getRemedy() + ".",
				cause);
	}

}
