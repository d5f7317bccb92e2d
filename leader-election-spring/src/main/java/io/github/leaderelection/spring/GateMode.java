package io.github.leaderelection.spring;

/**
 * Whether there are elections, and what the gate does with the calls that reach it.
 */
public enum GateMode {

	/** Calls run while this process leads. */
	ENFORCED,

	/**
	 * This process leads by itself, and calls run before it does: for developers and
	 * tests.
	 */
	RUN,

	/** This process never leads, and no call runs. */
	SKIP

}
