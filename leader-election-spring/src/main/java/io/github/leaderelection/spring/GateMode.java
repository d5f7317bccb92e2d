package io.github.leaderelection.spring;

/**
 * What the gate does with the calls that reach it.
 */
public enum GateMode {

	/** Calls run while this process leads. */
	ENFORCED,

	/**
	 * Calls run, whether this process leads or not: for developers and tests. With Spring
	 * Boot it leads by itself, and nobody else is there.
	 */
	RUN,

	/** No call runs. With Spring Boot, nobody is elected. */
	SKIP

}
