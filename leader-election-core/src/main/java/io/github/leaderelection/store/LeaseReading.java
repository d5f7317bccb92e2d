package io.github.leaderelection.store;

import java.util.Map;

/**
 * What a store showed when asked for the leases of some elections.
 *
 * @param leases the leases by election; an election that is in neither map has no lease
 * @param damaged by election, what is wrong with a stored lease that can't be understood
 */
public record LeaseReading(Map<String, Lease> leases, Map<String, String> damaged) {

	public LeaseReading {
		leases = Map.copyOf(leases);
		damaged = Map.copyOf(damaged);
	}

}
