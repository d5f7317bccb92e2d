package io.github.leaderelection.faults;

/**
 * A fault that has begun.
 *
 * @param target what it hits
 * @param election the only election that it affects, or {@value FaultRecord#ALL}
 * @param heal ends it, and waits until that is done
 */
record Injection(String target, String election, Runnable heal) {

	static final String EVERYBODY = "all";

	/** Create a fault that is not limited to one election. */
	Injection(Object target, Runnable heal) {
		this(target.toString(), FaultRecord.ALL, heal);
	}

}
