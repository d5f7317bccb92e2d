package io.github.leaderelection.engine;

import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate last saw of a lease, and since when it has looked the same.
 *
 * @param kind what was seen
 * @param lease the lease; if it is missing or damaged the last one known, {@code null} if
 * none ever was
 * @param since the monotonic time at which it was first seen so
 * @param refused whether it could not be taken though it was seen so
 */
record Sighting(Kind kind, @Nullable Lease lease, long since, boolean refused) {

	Sighting(Kind kind, @Nullable Lease lease, long since) {
		this(kind, lease, since, false);
	}

	static Sighting present(Lease lease, @Nullable Sighting before, long now) {
		if (before != null && before.kind == Kind.PRESENT && before.lease != null
				&& before.lease.isSameRevisionAs(lease)) {
			return new Sighting(Kind.PRESENT, lease, before.since, before.refused);
		}
		return new Sighting(Kind.PRESENT, lease, now);
	}

	static Sighting missing(@Nullable Sighting before, long now) {
		return absent(Kind.MISSING, before, now);
	}

	static Sighting damaged(@Nullable Sighting before, long now) {
		return absent(Kind.DAMAGED, before, now);
	}

	private static Sighting absent(Kind kind, @Nullable Sighting before, long now) {
		if (before == null) {
			return new Sighting(kind, null, now);
		}
		return new Sighting(kind, before.lease, (before.kind == kind) ? before.since : now);
	}

	/** Return the same, with another note of whether it could not be taken. */
	Sighting withRefused(boolean newRefused) {
		return new Sighting(this.kind, this.lease, this.since, newRefused);
	}

	/** Return whether a lease was seen that is newer than the other by its own count. */
	boolean isNewerThan(Lease other) {
		return this.kind == Kind.PRESENT && this.lease != null && this.lease.revision() > other.revision()
				&& this.lease.term() >= other.term();
	}

	/** Return whether the lease is news: nothing was there, or what was is older. */
	boolean isSupersededBy(Lease other) {
		return this.kind != Kind.PRESENT || this.lease == null
				|| (other.revision() > this.lease.revision() && other.term() >= this.lease.term());
	}

	enum Kind {

		/** There is a lease. */
		PRESENT,

		/** There is no lease. */
		MISSING,

		/** There is something that can't be understood, and must not be touched. */
		DAMAGED

	}

}
