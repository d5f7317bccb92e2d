package io.github.leaderelection.spring;

/**
 * What the gate does with the calls that reach it.
 */
public enum GateMode {

	/** Calls run while this process leads. */
	ENFORCED,

	/** Calls run, there is no election: for a developer's machine. */
	RUN,

	/** No call runs, as if this process never led: there is no election. */
	SKIP

}
