package io.github.leaderelection.engine;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate wants to ask of the store next for one election.
 */
sealed interface Intent {

	/** Read the lease. */
	record Read() implements Intent {

	}

	/** Look at the session of the holder. */
	record Watch() implements Intent {

	}

	/** Create a vacant lease above the given term. */
	record Create(long term) implements Intent {

	}

	/** Create a tombstone for a holder that has no session, to be watched. */
	record Bury(Session tombstone) implements Intent {

	}

	/** End the session of a holder that has been silent for too long. */
	record Expire(Session silent) implements Intent {

	}

	/** Take the lease as it was seen, for the given term. */
	record Take(Lease expected, long term) implements Intent {

	}

	/** Make the lease vacant, as it was seen, and leave it to the successor if any. */
	record Release(Lease expected, @Nullable String successor) implements Intent {

	}

}
