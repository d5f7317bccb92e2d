package io.github.leaderelection.protocol;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol wants to be asked of the store.
 */
public sealed interface Command {

	/**
	 * Return whether this changes something for the sake of one election.
	 * @return whether it is a change that may have to be tried apart from others
	 */
	default boolean isChange() {
		return this instanceof Create || this instanceof Bury || this instanceof Take || this instanceof Release;
	}

	/** Read the lease. */
	record ReadLease() implements Command {

	}

	/**
	 * Create a vacant lease.
	 *
	 * @param term the last term that was granted, as far as is known
	 */
	record Create(long term) implements Command {

	}

	/**
	 * Insert a tombstone in place of the session of a holder that has none.
	 *
	 * @param tombstone what to insert
	 */
	record Bury(Session tombstone) implements Command {

	}

	/**
	 * End the session of a holder that has been silent for too long.
	 *
	 * @param silent the session as it was seen
	 */
	record Expire(Session silent) implements Command {

	}

	/**
	 * Take the lease.
	 *
	 * @param expected the lease as it was seen
	 * @param term the term to be granted
	 */
	record Take(Lease expected, long term) implements Command {

	}

	/**
	 * Make the lease vacant.
	 *
	 * @param expected the lease as it was seen
	 * @param successor the candidate to leave it to, {@code null} for any
	 */
	record Release(Lease expected, @Nullable String successor) implements Command {

	}

	/**
	 * A command, and when it is due.
	 *
	 * @param command what to ask of the store
	 * @param at when; monotonic time
	 */
	record Due(Command command, long at) {

		/** Return the one that is due first, {@code null} if there is none. */
		static @Nullable Due first(@Nullable Due one, @Nullable Due other) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			return (other.at - one.at < 0) ? other : one;
		}

	}

}
