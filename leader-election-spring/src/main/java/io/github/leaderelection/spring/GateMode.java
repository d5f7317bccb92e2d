package io.github.leaderelection.spring;

/**
 * What the gate does with the calls that reach it.
 */
public enum GateMode {

	/** Calls run while this process leads. */
	ENFORCED,

	/**
	 * Calls run, whether this process leads or not: for development and tests. With
	 * Spring Boot, this process then leads on its own, without other candidates.
	 */
	RUN,

	/** No call runs. With Spring Boot, no process is elected. */
	SKIP

}
