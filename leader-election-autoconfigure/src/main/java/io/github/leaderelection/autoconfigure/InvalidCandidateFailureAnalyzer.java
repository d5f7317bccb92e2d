package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.spring.InvalidCandidateException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains {@link InvalidCandidateException}.
 */
class InvalidCandidateFailureAnalyzer extends AbstractFailureAnalyzer<InvalidCandidateException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidCandidateException cause) {
		return new FailureAnalysis(
				"The candidate %s can't take part in an election: %s.".formatted(cause.getPlace(), cause.getProblem()),
				"Correct the name that its election() method returns, and register each candidate once.", cause);
	}

}
