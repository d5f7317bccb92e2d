package io.github.leaderelection.test.slice;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A controller that is gated itself.
 */
@RestController
class CancellationController {

	private final LeaderElection elections;

	CancellationController(LeaderElection elections) {
		this.elections = elections;
	}

	@GetMapping("/cancel")
	@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
	public String cancel() {
		return this.elections.currentLeadership().election();
	}

}
