package io.github.leaderelection.test.slice;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;

import org.springframework.stereotype.Service;

/**
 * Work for the leader, which says under which term it runs.
 */
@Service
class Cancellations {

	private final LeaderElection elections;

	Cancellations(LeaderElection elections) {
		this.elections = elections;
	}

	@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
	public String cancel() {
		return this.elections.currentLeadership().election();
	}

}
