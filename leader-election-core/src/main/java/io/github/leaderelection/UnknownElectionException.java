package io.github.leaderelection;

import java.util.Collection;
import java.util.stream.Collectors;

/** Thrown when code names an election in which this process does not stand. */
public class UnknownElectionException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private static final int MOST_SHOWN = 10;

	private final String election;

	/**
	 * Create an exception.
	 * @param election the election
	 * @param known the elections in which this process stands
	 */
	public UnknownElectionException(String election, Collection<String> known) {
		super(message(election, known).replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?"), null);
		this.election = election;
	}

	private static String message(String election, Collection<String> known) {
		String others = known.stream().sorted().limit(MOST_SHOWN).collect(Collectors.joining(", "));
		return ("This instance does not stand in election '%s'.%s Declare a Candidate for it, name it in @LeaderOnly, "
				+ "or set leader-election.elections.%s.stand=true")
			.formatted(election, others.isEmpty() ? "" : " It stands in: %s.".formatted(others),
					election.matches("[A-Za-z0-9_-]+") ? election : "[" + election + "]");
	}

	/**
	 * Return the unknown election.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

}
