package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a store showed when asked for the leases of some elections.
 *
 * @param leases the leases by election; an election that is in neither map has no lease
 * @param damaged by election, what is wrong with a stored lease that can't be understood
 * @param readAt when they were read, by the clock that dates {@link Lease#renewedAt()};
 * {@code null} if that is not known. Decides only how soon it is worth reading again.
 */
public record LeaseReading(Map<String, Lease> leases, Map<String, String> damaged, @Nullable Instant readAt) {

	public LeaseReading {
		leases = Map.copyOf(leases);
		damaged = Map.copyOf(damaged);
	}

}
