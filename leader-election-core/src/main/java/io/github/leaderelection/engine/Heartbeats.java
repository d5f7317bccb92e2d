package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeats of this process, one for each time to live, and what it has seen of
 * those of others. Used under the lock of {@link Elections} only.
 */
final class Heartbeats {

	private final String candidateId;

	private final Function<Rhythm, HeartbeatProtocol> protocols;

	private final EngineClock clock;

	private final Map<Duration, OwnHeartbeat> own = new LinkedHashMap<>();

	private final Map<String, HeartbeatSighting> others = new TreeMap<>();

	/** How many have been seen for the first time. */
	private long arrivals;

	/** When to look at those of others; monotonic time. */
	private long nextLook;

	/** Whether the last look has failed. */
	private boolean failing;

	/** The strictest of all. */
	private @Nullable Rhythm rhythm;

	/** What the clock of the store showed at the last look, if that is known. */
	private @Nullable StoreClock storeClock;

	Heartbeats(String candidateId, Function<Rhythm, HeartbeatProtocol> protocols, EngineClock clock) {
		this.candidateId = candidateId;
		this.protocols = protocols;
		this.clock = clock;
		this.nextLook = clock.now().nanos();
	}

	/** Return the heartbeat for elections with these settings, from now on. */
	OwnHeartbeat join(ElectionSettings settings) {
		Rhythm joining = Rhythm.of(settings);
		Rhythm present = this.rhythm;
		this.rhythm = (present != null) ? present.with(joining) : joining;
		OwnHeartbeat heartbeat = this.own.computeIfAbsent(settings.ttl(),
				(ttl) -> new OwnHeartbeat(joining, this.protocols, this.clock));
		heartbeat.join(joining);
		return heartbeat;
	}

	Collection<OwnHeartbeat> own() {
		return this.own.values();
	}

	/** Return what was last seen of the heartbeat that vouches for the lease. */
	@Nullable HeartbeatSighting of(@Nullable Lease lease) {
		String id = (lease != null) ? lease.heartbeat() : null;
		return (id != null) ? this.others.get(id) : null;
	}

	/**
	 * Return the candidates that were seen to live, and live no more. Who has not been
	 * seen, since it has only just come or stands in no election, is none of them.
	 */
	Set<String> gone(Moment now) {
		Set<String> gone = new HashSet<>();
		Set<String> alive = new HashSet<>();
		for (HeartbeatSighting seen : this.others.values()) {
			Heartbeat heartbeat = seen.heartbeat();
			if (heartbeat != null) {
				boolean silent = heartbeat.ended()
						|| now.nanos() - HeartbeatProtocol.endsAt(heartbeat.ttl(), seen) >= 0;
				(silent ? gone : alive).add(heartbeat.id().substring(0, Math.max(0, heartbeat.id().lastIndexOf('/'))));
			}
		}
		gone.removeAll(alive);
		return gone;
	}

	/** Return the ids of the heartbeats that were seen of a candidate. */
	Set<String> ids(String candidate) {
		Set<String> ids = new LinkedHashSet<>();
		for (HeartbeatSighting seen : this.others.values()) {
			Heartbeat heartbeat = seen.heartbeat();
			if (heartbeat != null && heartbeat.isOf(candidate)) {
				ids.add(heartbeat.id());
			}
		}
		return ids;
	}

	/** Return how many were seen for the first time, one of which may be known since. */
	long arrivals() {
		return this.arrivals;
	}

	/**
	 * Return a heartbeat whose process is long gone, and had nothing that anybody wanted
	 * to take: its epoch is to be ended, so that the store can forget it.
	 */
	@Nullable Heartbeat abandoned(Moment now) {
		for (HeartbeatSighting seen : this.others.values()) {
			Heartbeat heartbeat = seen.heartbeat();
			if (heartbeat != null && !heartbeat.ended() && heartbeat.epoch() < Heartbeat.MAX_EPOCH
					&& !heartbeat.isOf(this.candidateId)
					&& now.nanos() - HeartbeatProtocol.endsAt(heartbeat.ttl(), seen) >= 2 * heartbeat.ttl().toNanos()) {
				return heartbeat;
			}
		}
		return null;
	}

	long nextLook() {
		return this.nextLook;
	}

	/** Look at once, unless that has just failed: something is not known. */
	void lookNow(Moment now) {
		if (!this.failing && now.nanos() - this.nextLook < 0) {
			this.nextLook = now.nanos();
		}
	}

	/** A look has failed. */
	void lookFailed(Moment now) {
		this.failing = true;
		this.nextLook = now.plus(pollInterval()).nanos();
	}

	private Duration pollInterval() {
		return (this.rhythm != null) ? this.rhythm.pollInterval() : Duration.ofSeconds(1);
	}

	/**
	 * A look that began at the given time has shown this.
	 * @param watched the ids of those that vouch for leases this process waits for
	 */
	void looked(Set<String> watched, HeartbeatReading reading, Moment sentAt, Moment now) {
		this.failing = false;
		HeartbeatProtocol protocol = this.protocols.apply(Objects.requireNonNull(this.rhythm));
		Set<String> ids = new LinkedHashSet<>(watched);
		ids.addAll(reading.heartbeats().keySet());
		this.others.keySet().retainAll(ids);
		for (String id : ids) {
			this.arrivals += this.others.containsKey(id) ? 0 : 1;
			this.others.put(id, protocol.sighted(this.others.get(id), reading.heartbeats().get(id), now, lookDelay()));
		}
		Instant readAt = reading.readAt();
		this.storeClock = (readAt != null) ? new StoreClock(readAt, sentAt) : null;
		this.nextLook = next(watched, reading, sentAt, now);
	}

	/** This process has entered a heartbeat for another one, and watches it from now. */
	void marked(Heartbeat mark, Moment now) {
		this.others.put(mark.id(), new HeartbeatSighting(mark, now.nanos(), now.nanos()));
	}

	/** There is one: the look was behind. If the next is as well, don't insist. */
	void markRefused(String id, Moment now) {
		this.others.put(id, new HeartbeatSighting(null, now.nanos(), now.plus(pollInterval()).nanos()));
		lookNow(now);
	}

	/** This process has ended an epoch, and goes first. */
	void ended(Heartbeat ended, Moment now) {
		this.others.put(ended.id(), new HeartbeatSighting(ended, now.nanos(), now.nanos()));
	}

	/** It was not as it was seen: it has beaten, or somebody else has ended it. */
	void endRefused(Heartbeat seen, Moment now) {
		this.others.put(seen.id(), new HeartbeatSighting(seen, now.nanos(), now.nanos()));
		lookNow(now);
	}

	/**
	 * Return when to look again: shortly after the next beat of whoever is watched, which
	 * follows from the age of its last, by the clock of the store. That is a hint: if it
	 * is wrong a beat is seen later, by a beat at most, and so expires later. Where
	 * nothing tells, once per poll interval.
	 */
	private long next(Set<String> watched, HeartbeatReading reading, Moment sentAt, Moment now) {
		// Where several lead there is always one that beats.
		long soonest = sentAt.nanos() + pollInterval().toNanos() / 4 * 3;
		long at = now.plus((this.rhythm != null) ? this.rhythm.interval() : pollInterval()).nanos();
		for (String id : watched) {
			Heartbeat heartbeat = reading.heartbeats().get(id);
			if (heartbeat != null) {
				long expected = expected(heartbeat, reading.readAt(), sentAt, now);
				at = (expected - at < 0) ? expected : at;
			}
		}
		return (at - soonest < 0) ? soonest : at;
	}

	private long expected(Heartbeat heartbeat, @Nullable Instant readAt, Moment sentAt, Moment now) {
		long soon = now.plus(pollInterval()).nanos();
		Instant beatAt = heartbeat.beatAt();
		Rhythm known = this.rhythm;
		if (readAt == null || beatAt == null || known == null) {
			return soon;
		}
		double scale = (double) heartbeat.ttl().toMillis() / known.ttl().toMillis();
		Duration beat = Duration.ofNanos(Math.round(known.interval().toNanos() * scale));
		Duration age = beatAt.isBefore(readAt) ? Duration.between(beatAt, readAt) : Duration.ZERO;
		return (age.compareTo(beat) >= 0) ? soon : sentAt.plus(beat.minus(age).plus(lookDelay())).nanos();
	}

	/**
	 * Return how long after a beat to send the next. Where something is vouched for, all
	 * processes beat in step, shortly after the clock of the store shows a multiple of
	 * the interval, so that one look shows the beats of all. A hint again, which only
	 * ever makes a beat come early, and little so: nobody looks for it before its time.
	 * @param busy whether something is vouched for
	 * @param sentAt when the beat was sent
	 */
	Duration pause(OwnHeartbeat own, boolean busy, Moment sentAt) {
		Rhythm paced = own.protocol().rhythm();
		StoreClock clock = this.storeClock;
		if (!busy || clock == null) {
			return busy ? paced.interval() : paced.idleInterval();
		}
		// All have beaten before the first of them looks.
		Duration near = pollInterval().dividedBy(16);
		Duration late = clock.past(paced.interval(), spread(near), sentAt);
		Duration early = paced.interval().minus(late);
		return (early.compareTo(near) <= 0) ? paced.interval()
				: Rhythm.longer(early, paced.interval().minus(pollInterval().dividedBy(4)));
	}

	/**
	 * Between a quarter and half of a poll interval, and different for each candidate:
	 * who sees the last beat first takes over first, and the others hear of it before
	 * their own time has come.
	 */
	private Duration lookDelay() {
		Duration quarter = pollInterval().dividedBy(4);
		return quarter.plus(spread(quarter));
	}

	/** Return less than the given time, and something different for each candidate. */
	private Duration spread(Duration most) {
		// Spreads even names that differ in their last character only.
		int part = (this.candidateId.hashCode() * 0x9E3779B9) >>> 24;
		return most.multipliedBy(part).dividedBy(256);
	}

}
