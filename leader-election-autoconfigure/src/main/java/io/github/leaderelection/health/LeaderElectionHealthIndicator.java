package io.github.leaderelection.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports whether this instance can take part in elections. Leaders, followers and paused
 * instances are up.
 * <p>
 * An instance is down if it should be able to take part and can't: a heartbeat that its
 * terms need is overdue; leases were unreachable, or not seen for another reason, for
 * longer than their time to live; a candidate or other work ignores that its leadership
 * has ended; or a component that is bound to the leader does not start or stop. A damaged
 * lease leaves its own election without a leader. It is shown there, and is no fault of
 * this instance. Other stored documents that can't be understood are shown, too. Reads
 * local state only and never waits for the store.
 */
public class LeaderElectionHealthIndicator extends AbstractHealthIndicator {

	private final ElectionEngine engine;

	/**
	 * Create an indicator.
	 * @param engine the engine whose health is reported
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
			builder.withDetail("unreachableFor", ReadableDuration.of(outage.duration()))
				.withDetail("unreachableBecause", outage.reason());
		}
		Map<String, Object> elections = new LinkedHashMap<>();
		for (ElectionStatus election : status.elections()) {
			String problem = problem(election, outage);
			down |= problem != null || isBlind(election);
			elections.put(election.election(), describe(election, problem));
		}
		builder.withDetail("elections", elections);
		if (!status.damaged().isEmpty()) {
			builder.withDetail("damaged", status.damaged());
		}
		if (down) {
			builder.down();
		}
	}

	private static boolean outlivesALease(Duration outage, EngineStatus status) {
		return status.elections()
			.stream()
			.anyMatch((election) -> election.role() != Role.PAUSED && outage.compareTo(election.ttl()) > 0);
	}

	private static @Nullable String problem(ElectionStatus election, @Nullable StoreOutage outage) {
		if (election.ignoresInterrupt()) {
			return "a candidate has not returned from onElected although its leadership has ended";
		}
		if (election.lingering().compareTo(election.ttl()) > 0) {
			return "work still runs %s after its leadership was lost"
				.formatted(ReadableDuration.of(election.lingering()));
		}
		if (election.overdue() && election.role() != Role.PAUSED) {
			return "the heartbeat is overdue";
		}
		for (ComponentStatus component : election.components()) {
			// Even while the component is being tried again.
			boolean wanted = election.role() != Role.FOLLOWER && election.role() != Role.PAUSED;
			if (component.failures() > 0 && wanted) {
				return "component '%s' fails to start or stop: %s".formatted(component.name(), component.lastFailure());
			}
		}
		// During an outage, the reason is already shown for all elections.
		return (outage == null && isBlind(election))
				? "the lease has not been seen for %s".formatted(ReadableDuration.of(election.unobserved())) : null;
	}

	private static boolean isBlind(ElectionStatus election) {
		return election.unobserved().compareTo(election.ttl()) > 0;
	}

	private static Map<String, Object> describe(ElectionStatus election, @Nullable String problem) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("role", election.role().name());
		details.put("leader", Objects.requireNonNullElse(election.leader(), "none known"));
		details.put("term", election.term());
		if (problem != null) {
			details.put("problem", problem);
		}
		if (!election.components().isEmpty()) {
			Map<String, Object> components = new LinkedHashMap<>();
			election.components().forEach((component) -> components.put(component.name(), component.state().name()));
			details.put("components", components);
		}
		if (election.suspended()) {
			details.put("paused", "for all instances");
		}
		if (election.damage() != null) {
			details.put("damage", election.damage());
		}
		return details;
	}

}
