package io.github.leaderelection.faults;

/**
 * A fault that is there.
 *
 * @param target whom it hits
 * @param election the only election that it is about, or {@value FaultRecord#ALL}
 * @param heal ends it, and waits until that is done
 */
record Injection(String target, String election, Runnable heal) {

	static final String EVERYBODY = "all";

	/** A fault that is not about a single election. */
	Injection(Object target, Runnable heal) {
		this(target.toString(), FaultRecord.ALL, heal);
	}

}
