package io.github.leaderelection.spring;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.InvalidConfigurationException;

/**
 * Thrown at startup when a {@link Candidate} bean can't take part in an election.
 */
public class InvalidCandidateException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	InvalidCandidateException(Candidate candidate, Exception cause) {
		super("The candidate %s can't take part in an election: %s".formatted(candidate.getClass().getName(),
				cause.getMessage()),
				"Correct the name that its election() method returns, and register each candidate once", cause);
	}

}
