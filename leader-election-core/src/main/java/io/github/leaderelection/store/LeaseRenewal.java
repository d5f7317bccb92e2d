package io.github.leaderelection.store;

import java.util.Set;

/**
 * What became of a batch of renewals. A claim that is in neither set is in doubt and can
 * be renewed again.
 *
 * @param renewed the claims that were renewed, acknowledged by a majority
 * @param refused the claims that the stored lease no longer matches
 */
public record LeaseRenewal(Set<LeaseClaim> renewed, Set<LeaseClaim> refused) {

	public LeaseRenewal {
		renewed = Set.copyOf(renewed);
		refused = Set.copyOf(refused);
	}

}
