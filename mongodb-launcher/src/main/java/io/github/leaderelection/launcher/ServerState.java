package io.github.leaderelection.launcher;

/**
 * What a server reports about itself.
 */
enum ServerState {

	/**
	 * Accepts writes: the primary, or a server that is not a member of a replica set.
	 */
	PRIMARY,

	/**
	 * Follows a primary and may become one.
	 */
	SECONDARY,

	/**
	 * Answers, but is neither yet.
	 */
	OTHER,

	/**
	 * Does not answer.
	 */
	SILENT

}
