package io.github.leaderelection.engine;

import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate wants to ask of the store next for one election.
 */
sealed interface Intent {

	/** Read the lease. */
	record Look() implements Intent {

	}

	/** Create a vacant lease above the given term. */
	record Create(long term) implements Intent {

	}

	/** Take the lease as it was seen, for the given term. */
	record Take(Lease expected, long term) implements Intent {

	}

	/** Renew the lease under the given term. */
	record Renew(long term) implements Intent {

	}

	/** Give the lease of the given term back, and leave it to the successor if any. */
	record Release(long term, @Nullable String successor) implements Intent {

	}

}
