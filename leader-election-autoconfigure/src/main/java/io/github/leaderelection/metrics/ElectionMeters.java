package io.github.leaderelection.metrics;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one election in one registry.
 */
final class ElectionMeters {

	/** Those that were registered, to be removed with the election. */
	private final Set<Meter> all = ConcurrentHashMap.newKeySet();

	private final MeterRegistry registry;

	private final StatusSnapshot status;

	private final String election;

	private final Counter callsCompleted;

	private final Counter callsInterrupted;

	private final Counter callsSkipped;

	private final Counter callsRejected;

	ElectionMeters(String election, StatusSnapshot status, MeterRegistry registry) {
		this.election = election;
		this.status = status;
		this.registry = registry;
		registerGauges();
		transitions("elected");
		for (LossReason reason : LossReason.values()) {
			transitions(tag(reason));
		}
		this.callsCompleted = calls("completed");
		this.callsInterrupted = calls("interrupted");
		this.callsSkipped = calls("skipped");
		this.callsRejected = calls("rejected");
	}

	private void registerGauges() {
		gauge("leader.election.leading", "Whether this instance leads", (is) -> (is.sinceRenewal() != null) ? 1 : 0);
		gauge("leader.election.term", "Number of the term, the last one if nobody leads", ElectionStatus::term);
		gauge("leader.election.calls.active", "Gated calls in flight", ElectionStatus::callsInFlight);
		gauge("leader.election.callbacks.stuck", "Whether a candidate ignores that it was interrupted",
				(is) -> is.ignoresInterrupt() ? 1 : 0);
		gauge("leader.election.paused", "Whether this instance is paused", (is) -> (is.role() == Role.PAUSED) ? 1 : 0);
		gauge("leader.election.candidates", "Instances that stand, and not aside",
				(is) -> this.status.candidates(this.election));
		timeGauge("leader.election.lease.remaining", "How long the leader counts as alive unless it renews its session",
				ElectionStatus::remaining);
		timeGauge("leader.election.lease.ttl", "How long this instance counts as alive after a heartbeat",
				ElectionStatus::ttl);
		timeGauge("leader.election.heartbeat.age", "Time since the last acknowledged heartbeat of the leader was sent",
				ElectionStatus::sinceRenewal);
		timeGauge("leader.election.observation.age",
				"Time since this instance last heard of the lease or of heartbeats", ElectionStatus::observed);
		timeGauge("leader.election.leaderless", "For how long this instance has seen nobody lead",
				ElectionStatus::leaderless);
		timeGauge("leader.election.lingering", "For how long work goes on after its leadership was lost",
				ElectionStatus::lingering);
	}

	void elected() {
		transitions("elected").increment();
	}

	void lost(LossReason reason) {
		transitions(tag(reason)).increment();
	}

	/** Registered with the first: most of what can happen never does. */
	void drained(long nanos, boolean complete) {
		add(Timer.builder("leader.election.drain")
			.description("Waits for gated calls before handing over")
			.tag("election", this.election)
			.tag("outcome", complete ? "complete" : "incomplete")
			.register(this.registry)).record(nanos, TimeUnit.NANOSECONDS);
	}

	void callRefused(boolean rejected) {
		(rejected ? this.callsRejected : this.callsSkipped).increment();
	}

	void callEnded(boolean interrupted) {
		(interrupted ? this.callsInterrupted : this.callsCompleted).increment();
	}

	void remove() {
		this.all.forEach(this.registry::remove);
	}

	private void gauge(String name, String description, ToDoubleFunction<ElectionStatus> value) {
		add(Gauge.builder(name, () -> read(value))
			.description(description)
			.tag("election", this.election)
			.register(this.registry));
	}

	private void timeGauge(String name, String description, Function<ElectionStatus, @Nullable Duration> value) {
		add(TimeGauge.builder(name, () -> read((is) -> seconds(value.apply(is))), TimeUnit.SECONDS)
			.description(description)
			.tag("election", this.election)
			.register(this.registry));
	}

	private double read(ToDoubleFunction<ElectionStatus> value) {
		ElectionStatus present = this.status.election(this.election);
		return (present != null) ? value.applyAsDouble(present) : Double.NaN;
	}

	private static double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toNanos() / 1e9 : Double.NaN;
	}

	private Counter transitions(String reason) {
		return counter("leader.election.transitions", "Times that this instance began or ceased to lead", "reason",
				reason);
	}

	private Counter calls(String outcome) {
		return counter("leader.election.calls", "Gated calls that have ended, or were not let in", "outcome", outcome);
	}

	private Counter counter(String name, String description, String key, String value) {
		return add(Counter.builder(name)
			.description(description)
			.tag("election", this.election)
			.tag(key, value)
			.register(this.registry));
	}

	private <M extends Meter> M add(M meter) {
		this.all.add(meter);
		return meter;
	}

	static String tag(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
