package io.github.leaderelection.spring;

import io.github.leaderelection.Candidate;

/**
 * Thrown at startup when a {@link Candidate} bean can't take part in an election.
 */
public class InvalidCandidateException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String place;

	private final String problem;

	/**
	 * Create an instance.
	 * @param candidate the candidate
	 * @param cause why it can't take part
	 */
	InvalidCandidateException(Candidate candidate, Exception cause) {
		super("Candidate %s can't take part: %s".formatted(candidate.getClass().getName(), cause.getMessage()), cause);
		this.place = candidate.getClass().getName();
		this.problem = String.valueOf(cause.getMessage());
	}

	/**
	 * Return the class of the candidate.
	 * @return the name of the class
	 */
	public String getPlace() {
		return this.place;
	}

	/**
	 * Return what is wrong.
	 * @return the problem, for people to read
	 */
	public String getProblem() {
		return this.problem;
	}

}
