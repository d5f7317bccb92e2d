package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.spring.bound.InvalidComponentException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains an {@link InvalidComponentException}.
 */
final class InvalidComponentFailureAnalyzer extends AbstractFailureAnalyzer<InvalidComponentException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidComponentException cause) {
		return new FailureAnalysis(
				"%s can't be started and stopped with the leader: %s.".formatted(cause.getPlace(), cause.getReason()),
				cause.getRemedy() + ".", cause);
	}

}
