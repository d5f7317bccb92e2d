package io.github.leaderelection;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown while this process does not lead: instead of running a {@link LeaderOnly} method
 * with {@link LeaderOnly.Otherwise#THROW}, and by {@link JobRuns#trigger}. In a web
 * application on Spring Boot the client is answered with status 503 and may try again,
 * unless the application handles the exception itself.
 */
public class NotLeaderException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String election;

	private final @Nullable String leader;

	private final @Nullable String leaderAddress;

	/**
	 * Create an exception that knows of no leader.
	 * @param election the election name
	 * @param what what was refused, for people to read
	 */
	public NotLeaderException(String election, String what) {
		this(election, what, null, null);
	}

	/**
	 * Create an exception.
	 * @param election the election name
	 * @param what what was refused, for people to read
	 * @param leader the id of the candidate that leads, fit for one line, if known
	 * @param leaderAddress where it can be reached, if known
	 */
	public NotLeaderException(String election, String what, @Nullable String leader, @Nullable String leaderAddress) {
		super("%s was refused: this instance does not lead election '%s'".formatted(what, election)
				+ ((leader != null) ? ", '%s' does".formatted(leader) : ""), null);
		this.election = election;
		this.leader = leader;
		this.leaderAddress = leaderAddress;
	}

	/**
	 * Return the election that is not led by this process.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

	/**
	 * Return the candidate that led when the call was refused, as far as this process
	 * knew, see {@link LeaderElection#leader(String)}.
	 * @return the candidate id, or empty when none was known, or this process was handing
	 * over
	 */
	public Optional<String> getLeader() {
		return Optional.ofNullable(this.leader);
	}

	/**
	 * Return where that candidate can be reached, if it announces that by
	 * {@code leader-election.candidate.address}. May be two minutes old.
	 * @return the address as it is stored, or empty
	 */
	public Optional<String> getLeaderAddress() {
		return Optional.ofNullable(this.leaderAddress);
	}

}
