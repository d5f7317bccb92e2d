package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * A change that a {@link LeaseWatch} has shown. If it shows neither a lease nor a
 * removal, the change can't be told from the event: leases should then be read again.
 *
 * @param lease the lease after the change, durable as shown, or {@code null}
 * @param removed the election whose lease was removed, or {@code null}. Another may be
 * there by now.
 */
public record LeaseChange(@Nullable Lease lease, @Nullable String removed) {

	/**
	 * Create a change that shows no removal.
	 * @param lease the lease after the change, or {@code null} when the change can't be
	 * told
	 */
	public LeaseChange(@Nullable Lease lease) {
		this(lease, null);
	}

	/**
	 * Return the removal of a lease.
	 * @param election the election name
	 * @return the change
	 */
	public static LeaseChange removal(String election) {
		return new LeaseChange(null, election);
	}

}
