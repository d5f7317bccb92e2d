package io.github.leaderelection.metrics;

import java.util.concurrent.TimeUnit;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * The meters of one election in one registry.
 */
final class ElectionMeters {

	private final Meters<ElectionStatus> meters;

	private final Counter callsCompleted;

	private final Counter callsInterrupted;

	private final Counter callsSkipped;

	private final Counter callsRejected;

	ElectionMeters(String election, StatusSnapshot status, MeterRegistry registry) {
		this.meters = new Meters<>(registry, () -> status.election(election), "election", election);
		addGauges(this.meters);
		this.meters.gauge("leader.election.candidates", "Instances that stand, and not aside",
				(is) -> status.candidates(election));
		transitions("elected");
		for (LossReason reason : LossReason.values()) {
			transitions(Meters.tag(reason));
		}
		this.callsCompleted = calls("completed");
		this.callsInterrupted = calls("interrupted");
		this.callsSkipped = calls("skipped");
		this.callsRejected = calls("rejected");
	}

	private static void addGauges(Meters<ElectionStatus> meters) {
		meters.gauge("leader.election.leading", "Whether this instance leads",
				(is) -> (is.sinceRenewal() != null) ? 1 : 0);
		meters.gauge("leader.election.term", "Number of the term, the last one if nobody leads", ElectionStatus::term);
		meters.gauge("leader.election.calls.active", "Gated calls in flight", ElectionStatus::callsInFlight);
		meters.gauge("leader.election.callbacks.stuck", "Whether a candidate ignores that it was interrupted",
				(is) -> is.ignoresInterrupt() ? 1 : 0);
		meters.gauge("leader.election.paused", "Whether this instance is paused",
				(is) -> (is.role() == Role.PAUSED) ? 1 : 0);
		meters.timeGauge("leader.election.lease.remaining",
				"How long the leader counts as alive unless it renews its session", ElectionStatus::remaining);
		meters.timeGauge("leader.election.lease.ttl", "How long this instance counts as alive after a heartbeat",
				ElectionStatus::ttl);
		meters.timeGauge("leader.election.heartbeat.age",
				"Time since the last acknowledged heartbeat of the leader was sent", ElectionStatus::sinceRenewal);
		meters.timeGauge("leader.election.observation.age",
				"Time since this instance last heard of the lease or of heartbeats", ElectionStatus::observed);
		meters.timeGauge("leader.election.leaderless", "For how long this instance has seen nobody lead",
				ElectionStatus::leaderless);
		meters.timeGauge("leader.election.lingering", "For how long work goes on after its leadership was lost",
				ElectionStatus::lingering);
	}

	void elected() {
		transitions("elected").increment();
	}

	void lost(LossReason reason) {
		transitions(Meters.tag(reason)).increment();
	}

	/** Registered with the first: most of what can happen never does. */
	void drained(long nanos, boolean complete) {
		this.meters
			.timer("leader.election.drain", "Waits for gated calls before handing over", "outcome",
					complete ? "complete" : "incomplete")
			.record(nanos, TimeUnit.NANOSECONDS);
	}

	void callRefused(boolean rejected) {
		(rejected ? this.callsRejected : this.callsSkipped).increment();
	}

	void callEnded(boolean interrupted) {
		(interrupted ? this.callsInterrupted : this.callsCompleted).increment();
	}

	void remove() {
		this.meters.remove();
	}

	private Counter transitions(String reason) {
		return this.meters.counter("leader.election.transitions", "Times that this instance began or ceased to lead",
				"reason", reason);
	}

	private Counter calls(String outcome) {
		return this.meters.counter("leader.election.calls", "Gated calls that have ended, or were not let in",
				"outcome", outcome);
	}

}
