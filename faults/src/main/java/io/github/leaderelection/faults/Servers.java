package io.github.leaderelection.faults;

import java.util.List;

/**
 * The servers of a database, and what can go wrong with them.
 */
interface Servers extends AutoCloseable {

	/**
	 * Start those that are down, and wait until changes can be made.
	 */
	void start();

	/**
	 * Return the properties by which candidates find them.
	 */
	List<String> candidateArgs();

	/**
	 * Return what asks whether changes can be made.
	 */
	Probe probe();

	/**
	 * Let a fault begin.
	 */
	Injection inject(FaultKind kind);

	/**
	 * Break all connections of a candidate, where a server can do so.
	 */
	default void disconnect(CandidateProcess candidate) {
		throw new UnsupportedOperationException("Connections can't be broken by the server");
	}

	/**
	 * Return the terms that they have recorded, in their order.
	 */
	List<StoredTerm> terms();

	/**
	 * Tell what they are.
	 */
	String version();

	@Override
	void close();

	/**
	 * Asks whether changes can be made.
	 */
	interface Probe extends AutoCloseable {

		/**
		 * Return whether one was acknowledged within a second.
		 */
		boolean isAnswered();

		@Override
		void close();

	}

}
