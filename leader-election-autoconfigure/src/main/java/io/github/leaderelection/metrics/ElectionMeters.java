package io.github.leaderelection.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

	private final List<Meter> all = new ArrayList<>();

	private final List<LazyTimer> timers = new ArrayList<>();

	private final MeterRegistry registry;

	private final StatusSnapshot status;

	private final String election;

	private final Counter elected;

	private final Map<LossReason, Counter> lost = new EnumMap<>(LossReason.class);

	private final Counter callsCompleted;

	private final Counter callsInterrupted;

	private final Counter callsSkipped;

	private final Counter callsRejected;

	private final LazyTimer drainsComplete;

	private final LazyTimer drainsIncomplete;

	ElectionMeters(String election, StatusSnapshot status, MeterRegistry registry) {
		this.election = election;
		this.status = status;
		this.registry = registry;
		registerGauges();
		this.elected = transitions("elected");
		for (LossReason reason : LossReason.values()) {
			this.lost.put(reason, transitions(tag(reason)));
		}
		this.callsCompleted = calls("completed");
		this.callsInterrupted = calls("interrupted");
		this.callsSkipped = calls("skipped");
		this.callsRejected = calls("rejected");
		this.drainsComplete = drains("complete");
		this.drainsIncomplete = drains("incomplete");
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
				(is) -> seconds(is.remaining()));
		timeGauge("leader.election.lease.ttl", "How long this instance counts as alive after a heartbeat",
				(is) -> seconds(is.ttl()));
		timeGauge("leader.election.heartbeat.age", "Time since the last acknowledged heartbeat of the leader was sent",
				(is) -> seconds(is.sinceRenewal()));
		timeGauge("leader.election.observation.age",
				"Time since this instance last heard of the lease or of heartbeats", (is) -> seconds(is.observed()));
		timeGauge("leader.election.leaderless", "For how long this instance has seen nobody lead",
				(is) -> seconds(is.leaderless()));
		timeGauge("leader.election.lingering", "For how long work goes on after its leadership was lost",
				(is) -> seconds(is.lingering()));
	}

	void elected() {
		this.elected.increment();
	}

	void lost(LossReason reason) {
		count(this.lost, reason);
	}

	void drained(long nanos, boolean complete) {
		(complete ? this.drainsComplete : this.drainsIncomplete).record(nanos);
	}

	void callRefused(boolean rejected) {
		(rejected ? this.callsRejected : this.callsSkipped).increment();
	}

	void callEnded(boolean interrupted) {
		(interrupted ? this.callsInterrupted : this.callsCompleted).increment();
	}

	void remove() {
		this.all.forEach(this.registry::remove);
		this.timers.forEach(LazyTimer::remove);
	}

	private void gauge(String name, String description, ToDoubleFunction<ElectionStatus> value) {
		add(Gauge.builder(name, () -> read(value))
			.description(description)
			.tag("election", this.election)
			.register(this.registry));
	}

	private void timeGauge(String name, String description, ToDoubleFunction<ElectionStatus> seconds) {
		add(TimeGauge.builder(name, () -> read(seconds), TimeUnit.SECONDS)
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

	private LazyTimer drains(String outcome) {
		LazyTimer timer = new LazyTimer(Timer.builder("leader.election.drain")
			.description("Waits for gated calls before handing over")
			.tag("election", this.election)
			.tag("outcome", outcome), this.registry);
		this.timers.add(timer);
		return timer;
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

	private static <K> void count(Map<K, Counter> counters, K key) {
		Counter counter = counters.get(key);
		if (counter != null) {
			counter.increment();
		}
	}

	static String tag(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
