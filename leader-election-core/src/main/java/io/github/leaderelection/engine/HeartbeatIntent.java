package io.github.leaderelection.engine;

import io.github.leaderelection.store.Heartbeat;

/**
 * What a process wants to ask of the store next for its own heartbeat.
 */
sealed interface HeartbeatIntent {

	/** Enter it. */
	record Enter(Heartbeat first) implements HeartbeatIntent {

	}

	/** Beat. */
	record Beat(Heartbeat next) implements HeartbeatIntent {

	}

	/** Look what is there. */
	record Look() implements HeartbeatIntent {

	}

	/** Give what is there another epoch. */
	record Raise(Heartbeat seen, long epoch) implements HeartbeatIntent {

	}

}
