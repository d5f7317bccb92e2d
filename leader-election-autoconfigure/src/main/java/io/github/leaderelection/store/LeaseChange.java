package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * A change that a {@link LeaseWatch} has shown.
 *
 * @param lease the lease after the change, durable as shown, or {@code null} when the
 * change can't be told from the event: leases should then be read again
 */
public record LeaseChange(@Nullable Lease lease) {

}
