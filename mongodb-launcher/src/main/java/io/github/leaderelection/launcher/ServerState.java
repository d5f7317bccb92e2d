package io.github.leaderelection.launcher;

/**
 * What a server says of itself when it is asked.
 */
enum ServerState {

	/**
	 * It takes writes: the primary, or a server that is no member of a replica set.
	 */
	PRIMARY,

	/**
	 * It follows a primary and may become one.
	 */
	SECONDARY,

	/**
	 * It answers and is neither yet.
	 */
	OTHER,

	/**
	 * It does not answer.
	 */
	SILENT

}
