package io.github.leaderelection.spring;

import io.github.leaderelection.Candidate;

/**
 * Thrown at startup when a {@link Candidate} bean can't take part in an election.
 */
public class InvalidCandidateException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an instance.
	 * @param candidate the candidate
	 * @param cause why it can't take part
	 */
	InvalidCandidateException(Candidate candidate, Exception cause) {
		super("The candidate %s can't take part in an election: %s".formatted(candidate.getClass().getName(),
				cause.getMessage()), cause);
	}

}
