package io.github.leaderelection;

/**
 * Thrown when something is to be done under a term that has ended: by
 * {@link Leadership#requireHeld()}, and by fenced writes, at the latest when a fenced
 * transaction commits.
 */
public class LeadershipLostException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String election;

	private final long term;

	public LeadershipLostException(Leadership leadership) {
		this(leadership, "Leadership of election '%s' in term %d has ended: %s".formatted(leadership.election(),
				leadership.term(), leadership.lossReason().map(LossReason::name).orElse("a later term has begun")));
	}

	/**
	 * Create an exception for a kind of leadership with its own name, such as a lock.
	 * @param leadership the leadership
	 * @param message what has ended, and why
	 */
	protected LeadershipLostException(Leadership leadership, String message) {
		super(message, null);
		this.election = leadership.election();
		this.term = leadership.term();
	}

	/**
	 * Return the election that is no longer led.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

	/**
	 * Return the term that has ended.
	 * @return the term
	 */
	public long getTerm() {
		return this.term;
	}

}
