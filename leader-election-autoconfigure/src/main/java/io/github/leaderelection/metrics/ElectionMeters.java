package io.github.leaderelection.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of one election in one registry.
 */
final class ElectionMeters extends Meters<ElectionStatus> {

	private final Map<String, Counter> calls = new HashMap<>();

	ElectionMeters(String election, StatusSnapshot status, MeterRegistry registry) {
		super(registry, () -> status.election(election), "election", election);
		addGauges();
		gauge("leader.election.candidates", "Instances that stand and are not paused",
				(is) -> status.candidates(election));
		transitions("elected");
		for (LossReason reason : LossReason.values()) {
			transitions(Meters.tag(reason));
		}
		Stream.of("completed", "interrupted", "skipped", "rejected")
			.forEach((outcome) -> this.calls.put(outcome, counter("leader.election.calls",
					"Gated calls that ended, were skipped or were rejected", "outcome", outcome)));
	}

	private void addGauges() {
		gauge("leader.election.leading", "Whether this instance leads", (is) -> (is.sinceRenewal() != null) ? 1 : 0);
		gauge("leader.election.term", "Number of the term, or of the last one if nobody leads", ElectionStatus::term);
		gauge("leader.election.calls.active", "Gated calls in flight", ElectionStatus::callsInFlight);
		gauge("leader.election.callbacks.stuck", "Whether onElected has not returned although it was interrupted",
				(is) -> is.ignoresInterrupt() ? 1 : 0);
		gauge("leader.election.paused", "Whether this instance is paused", (is) -> (is.role() == Role.PAUSED) ? 1 : 0);
		timeGauge("leader.election.lease.remaining", "Time until the leader's session expires unless it is renewed",
				ElectionStatus::remaining);
		timeGauge("leader.election.lease.ttl", "How long this instance counts as alive after a heartbeat",
				ElectionStatus::ttl);
		timeGauge("leader.election.heartbeat.age", "Time since the last acknowledged heartbeat of the leader was sent",
				ElectionStatus::sinceRenewal);
		timeGauge("leader.election.observation.age", "Time since this instance last saw the lease or heartbeats",
				ElectionStatus::observed);
		timeGauge("leader.election.leaderless", "How long this instance has seen no leader",
				ElectionStatus::leaderless);
		timeGauge("leader.election.lingering", "How long work has been running since its leadership was lost",
				ElectionStatus::lingering);
	}

	Counter transitions(String reason) {
		return counter("leader.election.transitions", "Times that this instance became leader or stopped leading",
				"reason", reason);
	}

	/** Registered on first use: most outcomes never occur. */
	Timer drains(String outcome) {
		return timer("leader.election.drain", "Time waited for gated calls before handing over", "outcome", outcome);
	}

	Counter calls(String outcome) {
		return Objects.requireNonNull(this.calls.get(outcome));
	}

}
