package io.github.leaderelection.spring.event;

import java.time.Instant;

/**
 * Published when fire times of a job have passed without a run, and none makes up for
 * them: another fire time has come meanwhile, or the starting deadline has passed.
 */
public final class MissedRunEvent extends LeaderElectionEvent {

	private static final long serialVersionUID = 1L;

	private final String job;

	private final Instant last;

	private final int number;

	/**
	 * Create an event.
	 * @param election the election of the job
	 * @param job the name of the job
	 * @param last the last of the fire times, or a time after it and before the next
	 * @param number how many fire times there are
	 */
	public MissedRunEvent(String election, String job, Instant last, int number) {
		super(election);
		this.job = job;
		this.last = last;
		this.number = number;
	}

	/**
	 * Return the job.
	 * @return the name of the job
	 */
	public String getJob() {
		return this.job;
	}

	/**
	 * Return up to which time fire times were missed.
	 * @return the last of the fire times, or a time after it and before the next
	 */
	public Instant getLast() {
		return this.last;
	}

	/**
	 * Return how many fire times were missed.
	 * @return the number, 1000 at most
	 */
	public int getNumber() {
		return this.number;
	}

	@Override
	public String toString() {
		return "MissedRunEvent[election=%s, job=%s, last=%s, number=%d]".formatted(getElection(), this.job, this.last,
				this.number);
	}

}
