package io.github.leaderelection.engine;

import io.github.leaderelection.store.Session;

/**
 * What a process wants to ask of the store next for its own session.
 */
sealed interface SessionIntent {

	/** Create it. */
	record Create(Session first) implements SessionIntent {

	}

	/** Renew it. */
	record Renew(Session renewed) implements SessionIntent {

	}

	/** Read it. */
	record Read(String id) implements SessionIntent {

	}

}
