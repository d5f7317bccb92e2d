package io.github.leaderelection.engine;

import org.jspecify.annotations.Nullable;

/**
 * How something fares that is started and stopped with the leadership of this process.
 *
 * @param name its name
 * @param state what has become of it
 * @param failures how many times in a row it could not be started or stopped
 * @param lastFailure why it could not be started or stopped, fit for one line; of the
 * last failure, {@code null} if there was none since it worked
 */
public record ComponentStatus(String name, State state, int failures, @Nullable String lastFailure) {

	/** What has become of a component. */
	public enum State {

		/** Does not run. */
		STOPPED,

		/** Is being started. */
		STARTING,

		/** Runs. */
		RUNNING,

		/** Is being stopped. */
		STOPPING,

		/** Could not be started or stopped; is tried again while that is wanted. */
		FAILED

	}

}
