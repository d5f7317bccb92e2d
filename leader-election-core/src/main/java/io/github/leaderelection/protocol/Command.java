package io.github.leaderelection.protocol;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/** What the protocol asks of the store. */
public sealed interface Command {

	/** Return whether this is a change that may have to be tried apart from others. */
	default boolean isChange() {
		return this instanceof Create || this instanceof Bury || this instanceof Take || this instanceof Release;
	}

	/** Read the lease. */
	record ReadLease() implements Command {

	}

	/** Create a vacant lease with the last term that was granted, as far as is known. */
	record Create(long term) implements Command {

	}

	/** Insert a tombstone in place of the missing session of a holder. */
	record Bury(Session tombstone) implements Command {

	}

	/** End a session, as it was seen, that has been silent for too long. */
	record Expire(Session silent) implements Command {

	}

	/** Take the lease, as it was seen, under this new term. */
	record Take(Lease expected, long term) implements Command {

	}

	/** Release the lease, as it was seen, to the successor, {@code null} for any. */
	record Release(Lease expected, @Nullable String successor) implements Command {

	}

	/** A command, and the monotonic time at which it is due. */
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
