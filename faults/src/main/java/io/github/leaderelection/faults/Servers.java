package io.github.leaderelection.faults;

import java.util.List;

/**
 * The servers of a database, and their faults.
 */
interface Servers extends AutoCloseable {

	/**
	 * Start the servers that are down, and wait until changes can be made.
	 */
	void start();

	/**
	 * Return the properties by which candidates connect to the servers.
	 */
	List<String> candidateArgs();

	/**
	 * Return a probe that checks whether changes can be made.
	 */
	Probe probe();

	/**
	 * Begin a fault.
	 */
	Injection inject(FaultKind kind);

	/**
	 * Break all connections of a candidate, if the server can do so.
	 */
	default void disconnect(CandidateProcess candidate) {
		throw new UnsupportedOperationException("This server can't terminate a candidate's connections");
	}

	/**
	 * Return the terms that the servers have recorded, in their order.
	 */
	List<StoredTerm> terms();

	/**
	 * Return the name and version of the database, and of its driver.
	 */
	String version();

	@Override
	void close();

	/**
	 * Checks whether changes can be made.
	 */
	interface Probe extends AutoCloseable {

		/**
		 * Return whether a change is acknowledged within a second.
		 */
		boolean isAnswered();

		@Override
		void close();

	}

}
