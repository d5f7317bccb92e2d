package io.github.leaderelection.engine;

import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate wants to ask of the store next for one election.
 */
sealed interface Intent {

	/** Read the lease. */
	record Read() implements Intent {

	}

	/** Look at the heartbeat of the holder. */
	record Watch() implements Intent {

	}

	/** Create a vacant lease above the given term. */
	record Create(long term) implements Intent {

	}

	/** Enter a heartbeat for a holder that has none, to be watched. */
	record Mark(Heartbeat mark) implements Intent {

	}

	/** End the epoch of a holder that has been silent for too long. */
	record End(Heartbeat silent, Heartbeat ended) implements Intent {

	}

	/** Take the lease as it was seen, for the given term. */
	record Take(Lease expected, long term) implements Intent {

	}

	/** Make the lease vacant, as it was seen, and leave it to the successor if any. */
	record Release(Lease expected, @Nullable String successor) implements Intent {

	}

}
