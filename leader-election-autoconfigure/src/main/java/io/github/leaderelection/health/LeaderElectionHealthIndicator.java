package io.github.leaderelection.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Tells whether this instance can take part in elections. Leaders and followers are up
 * alike; an instance is down when leases have been out of reach for longer than they
 * live, or when a candidate or other work ignores that its leadership has ended. Reads
 * local state only and never waits for MongoDB.
 */
public class LeaderElectionHealthIndicator extends AbstractHealthIndicator {

	private final ElectionEngine engine;

	/**
	 * Create an indicator.
	 * @param engine the engine whose health is told
	 */
	public LeaderElectionHealthIndicator(ElectionEngine engine) {
		super("Leader election health check failed");
		this.engine = engine;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		EngineStatus status = this.engine.status();
		boolean down = false;
		builder.up().withDetail("candidate", this.engine.candidateId()).withDetail("pushed", status.pushed());
		StoreOutage outage = status.outage();
		if (outage != null) {
			down = outlivesALease(outage.duration(), status);
			builder.withDetail("unreachableFor", outage.duration().toSeconds() + "s")
				.withDetail("unreachableBecause", outage.reason());
		}
		Map<String, Object> elections = new LinkedHashMap<>();
		for (ElectionStatus election : status.elections()) {
			down |= election.ignoresInterrupt() || lingers(election);
			elections.put(election.election(), describe(election));
		}
		builder.withDetail("elections", elections);
		if (down) {
			builder.down();
		}
	}

	private static boolean outlivesALease(Duration outage, EngineStatus status) {
		return status.elections().stream().anyMatch((election) -> outage.compareTo(election.ttl()) > 0);
	}

	private static boolean lingers(ElectionStatus election) {
		return election.lingering().compareTo(election.ttl()) > 0;
	}

	private static Map<String, Object> describe(ElectionStatus election) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("role", election.leading() ? "leader" : "follower");
		details.put("leader", Objects.requireNonNullElse(election.leader(), "none known"));
		if (election.ignoresInterrupt()) {
			details.put("problem", "a candidate ignores that its leadership has ended");
		}
		else if (lingers(election)) {
			details.put("problem",
					"work goes on %d s after its leadership was lost".formatted(election.lingering().toSeconds()));
		}
		return details;
	}

}
