package io.github.leaderelection.engine;

/**
 * The lines of the log that are about all leases of an engine. A process may have one for
 * elections and one for locks, and people must see which is meant.
 */
enum EngineWords {

	/** Of elections that stay. */
	ELECTIONS(
			"Leases can't be reached: {}. Terms go on until the last beat runs out, "
					+ "nobody new is elected, and gated methods skip without a leader; retrying until it answers",
			"Leases can be reached again, after {}", "Changes of leases are not pushed, they are polled for: {}",
			"Changes of leases are pushed from now on", "The watch of leases failed; polling until it is open again"),

	/** Of elections that come and go. */
	LOCKS("Leases of locks can't be reached: {}. Locks that are held stay held until the last beat runs out, "
			+ "and nobody acquires another; retrying until it answers",
			"Leases of locks can be reached again, after {}",
			"Changes of leases of locks are not pushed, they are polled for: {}",
			"Changes of leases of locks are pushed from now on",
			"The watch of leases of locks failed; polling until it is open again");

	private final String outage;

	private final String endOfOutage;

	private final String notPushed;

	private final String pushed;

	private final String watchFailed;

	EngineWords(String outage, String endOfOutage, String notPushed, String pushed, String watchFailed) {
		this.outage = outage;
		this.endOfOutage = endOfOutage;
		this.notPushed = notPushed;
		this.pushed = pushed;
		this.watchFailed = watchFailed;
	}

	/** Return the words for elections that come and go, as locks do, or that stay. */
	static EngineWords of(boolean ephemeral) {
		return ephemeral ? LOCKS : ELECTIONS;
	}

	/** Return what tells the beginning of an outage, with a place for the reason. */
	String outage() {
		return this.outage;
	}

	/** Return what tells its end, with a place for how long it took. */
	String endOfOutage() {
		return this.endOfOutage;
	}

	/** Return what tells that nothing is pushed, with a place for the reason. */
	String notPushed() {
		return this.notPushed;
	}

	String pushed() {
		return this.pushed;
	}

	String watchFailed() {
		return this.watchFailed;
	}

}
