package io.github.leaderelection;

/**
 * Thrown when asking about an election in which this process does not stand.
 */
public class UnknownElectionException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String election;

	public UnknownElectionException(String election) {
		super(("This instance does not stand in election '%s'. Declare a Candidate for it, name it in @LeaderOnly, "
				+ "or list it under leader-election.elections")
			.formatted(election.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?")), null);
		this.election = election;
	}

	/**
	 * Return the election that is not known.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

}
