package io.github.leaderelection;

/**
 * Thrown instead of running a {@link LeaderOnly} method with
 * {@link LeaderOnly.Otherwise#THROW} while this process does not lead.
 */
public class NotLeaderException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String election;

	public NotLeaderException(String election, String what) {
		super("%s was refused: this instance does not lead election '%s'".formatted(what, election), null);
		this.election = election;
	}

	/**
	 * Return the election that is not led by this process.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

}
