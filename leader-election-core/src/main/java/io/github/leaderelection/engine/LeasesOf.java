package io.github.leaderelection.engine;

/**
 * What the leases of an engine are for, as lines of the log say that are about all of
 * them. A process may have one engine for elections and one for locks.
 */
enum LeasesOf {

	/** Elections that stay: simply leases. */
	ELECTIONS(""),

	/** Elections that come and go, as locks do: leases of locks. */
	LOCKS(" of locks");

	private final String suffix;

	LeasesOf(String suffix) {
		this.suffix = suffix;
	}

	/** Return what follows the word "leases". */
	@Override
	public String toString() {
		return this.suffix;
	}

}
