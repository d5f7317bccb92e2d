package io.github.leaderelection;

/**
 * Thrown when asking about an election in which this process does not stand.
 */
public class UnknownElectionException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String election;

	public UnknownElectionException(String election) {
		super(message(election.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?")), null);
		this.election = election;
	}

	private static String message(String election) {
		return ("This instance does not stand in election '%s'. Declare a Candidate for it, name it in @LeaderOnly, "
				+ "or set leader-election.elections.%s.stand=true")
			.formatted(election, election.matches("[A-Za-z0-9_-]+") ? election : "[" + election + "]");
	}

	/**
	 * Return the election that is not known.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

}
