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
import java.util.stream.Collectors;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process, one for each time to live, and what it has seen of those
 * of others. Used under the lock of {@link ElectionRegistry} only.
 */
final class Sessions {

	private final String candidateId;

	private final Function<Timing, SessionProtocol> protocols;

	private final EngineClock clock;

	private final Map<Duration, OwnSession> own = new LinkedHashMap<>();

	/**
	 * How often to look at those that hold nothing of interest: nobody needs to know soon
	 * that one has come, or is gone.
	 */
	static final Duration LISTING_INTERVAL = Duration.ofSeconds(30);

	/**
	 * For how long to know of one that it has ended: until nobody else lists it either.
	 */
	private static final Duration REMEMBERED = Duration.ofMinutes(10);

	private final Map<String, Observation> others = new TreeMap<>();

	/** Those that are looked at each time. */
	private Set<String> watched = Set.of();

	/** Those of which nothing tells that they are still alive. */
	private Set<String> doubtful = Set.of();

	/** When all were looked at, {@code null} if that was not yet. */
	private @Nullable Moment listedAt;

	/** How many have been seen for the first time. */
	private long arrivals;

	/** When to look at those of others; monotonic time. */
	private long nextLook;

	/** When to look if another goes first, or this process is paused. */
	private long nextPatientLook;

	/** Whether the last look has failed. */
	private boolean failing;

	/** The strictest of all. */
	private @Nullable Timing timing;

	/** What the clock of the store showed at the last look, if that is known. */
	private @Nullable StoreClock storeClock;

	Sessions(String candidateId, Function<Timing, SessionProtocol> protocols, EngineClock clock) {
		this.candidateId = candidateId;
		this.protocols = protocols;
		this.clock = clock;
		this.nextLook = clock.now().nanos();
		this.nextPatientLook = this.nextLook;
	}

	/** Return the session for elections with these settings, from now on. */
	OwnSession join(ElectionSettings settings) {
		Timing joining = settings.timing();
		Timing present = (this.timing != null) ? this.timing : joining;
		// The time to live must be that of those who renew most often: both tell when.
		boolean more = joining.renewInterval().compareTo(present.renewInterval()) < 0;
		this.timing = more ? joining.with(present) : present.with(joining);
		OwnSession session = this.own.computeIfAbsent(settings.ttl(),
				(ttl) -> new OwnSession(joining, this.protocols, this.clock));
		session.join(joining);
		return session;
	}

	Collection<OwnSession> own() {
		return this.own.values();
	}

	/**
	 * Return what was last seen of the session that vouches for the lease, since it is
	 * looked at each time: an older look tells nothing of now.
	 */
	@Nullable Observation of(@Nullable Lease lease) {
		String id = (lease != null) ? lease.sessionId() : null;
		Observation seen = (id != null) ? this.others.get(id) : null;
		boolean current = seen != null && (this.watched.contains(id) || hasEnded(seen));
		return current ? seen : null;
	}

	/** Return whether the session that vouched for the lease has ended. */
	boolean hasEnded(Lease lease) {
		return hasEnded(of(lease));
	}

	private static boolean hasEnded(@Nullable Observation seen) {
		Session session = (seen != null) ? seen.session() : null;
		return session != null && session.ended();
	}

	/**
	 * Return the candidates that were seen to live, and live no more. One that has not
	 * been seen, since it has only just come or stands in no election, is none of them.
	 */
	Set<String> gone(Moment now) {
		Set<String> gone = new HashSet<>();
		Set<String> alive = new HashSet<>();
		for (Observation seen : this.others.values()) {
			Session session = seen.session();
			if (session != null) {
				boolean silent = session.ended() || lookedAt(session, now) - seen.silentAt(session.ttl()) >= 0;
				(silent ? gone : alive).add(session.candidate());
			}
		}
		gone.removeAll(alive);
		return gone;
	}

	/** Return how many were seen for the first time, one of which may be known since. */
	long arrivals() {
		return this.arrivals;
	}

	/**
	 * Return a session whose process is long gone, or goes on under another: it is to be
	 * ended, so that the store can forget it.
	 */
	@Nullable Session abandoned(Moment now) {
		for (Observation seen : this.others.values()) {
			Session session = seen.session();
			if (session != null && !session.ended()
					&& lookedAt(session, now) - seen.silentAt(session.ttl()) >= 2 * session.ttl().toNanos()
					&& !isOwn(session)) {
				return session;
			}
		}
		return null;
	}

	/**
	 * Return until when it is known that the session has not changed, more or less;
	 * monotonic time.
	 */
	private long lookedAt(Session session, Moment now) {
		Moment listed = this.listedAt;
		return (listed == null || this.watched.contains(session.id())) ? now.nanos() : listed.nanos();
	}

	/** Return whether it is time to look at all. */
	boolean isListingDue(Moment now) {
		Moment listed = this.listedAt;
		return listed == null || now.since(listed).compareTo(LISTING_INTERVAL) >= 0;
	}

	private boolean isOwn(Session seen) {
		return seen.candidate().equals(this.candidateId)
				&& this.own.values().stream().anyMatch((each) -> each.isCurrent(seen));
	}

	/** Return when to look at those of others; monotonic time. */
	long nextLook() {
		return goesFirst() ? this.nextLook : this.nextPatientLook;
	}

	/** Return whether this process leads, or is to take over before others. */
	private boolean goesFirst() {
		return this.own.values().stream().anyMatch((each) -> each.isNeeded() && !each.isSpare());
	}

	/** Look by then, unless that has just failed: something is not known. */
	private void lookBy(long time) {
		if (!this.failing) {
			this.nextLook = Moment.earlier(time, this.nextLook);
			this.nextPatientLook = Moment.earlier(time, this.nextPatientLook);
		}
	}

	private void lookAt(long time) {
		this.nextLook = time;
		this.nextPatientLook = time;
	}

	/**
	 * This session vouches for what this process waits for: if it does not know when that
	 * was renewed last, it looks.
	 * @param hurried whether somebody waits for the answer; otherwise a process that has
	 * looked before does so soon, and not at once with all others
	 */
	void follow(String id, boolean hurried, Moment now) {
		if (!this.watched.contains(id)) {
			boolean soon = this.listedAt != null && !hurried;
			lookBy((soon ? now.plus(lookDelay()) : now).nanos());
		}
	}

	/** This process waits for nothing. */
	void nothingToWatch() {
		this.watched = Set.of();
	}

	/** Nobody holds anything that this process waits for. */
	void nothingToLookAt(Moment now) {
		Moment listed = this.listedAt;
		nothingToWatch();
		this.failing = false;
		lookAt(((listed != null) ? listed.plus(LISTING_INTERVAL) : now).nanos());
	}

	/** A look has failed. */
	void lookFailed(Moment now) {
		this.failing = true;
		lookAt(now.plus(pollInterval()).nanos());
	}

	/**
	 * Return the shortest of all. All elections share one thread for their calls: none
	 * may hold it up for longer than the most impatient of them can bear.
	 */
	Duration operationTimeout() {
		return (this.timing != null) ? this.timing.timeout() : Duration.ofSeconds(1);
	}

	private Duration pollInterval() {
		return (this.timing != null) ? this.timing.pollInterval() : Duration.ofSeconds(1);
	}

	/**
	 * A look that began at the given time has shown this.
	 * @param newWatched the ids of those that vouch for leases this process waits for
	 * @param all whether it has shown those, too, that hold nothing of interest
	 */
	void looked(Set<String> newWatched, boolean all, SessionReading reading, Moment sentAt, Moment now) {
		this.failing = false;
		boolean known = this.watched.containsAll(newWatched);
		this.watched = Set.copyOf(newWatched);
		SessionProtocol protocol = this.protocols.apply(Objects.requireNonNull(this.timing));
		Set<String> ids = new LinkedHashSet<>(newWatched);
		ids.addAll(reading.sessions().keySet());
		if (all) {
			this.others.entrySet()
				.removeIf((each) -> !ids.contains(each.getKey()) && isForgotten(each.getValue(), now));
			this.listedAt = now;
			forgetFormer(reading, newWatched);
		}
		for (String id : ids) {
			this.arrivals += this.others.containsKey(id) ? 0 : 1;
			this.others.put(id, protocol.observe(this.others.get(id), reading.sessions().get(id), now, lookDelay()));
		}
		Instant readAt = reading.readAt();
		this.storeClock = (readAt != null) ? new StoreClock(readAt, sentAt) : null;
		this.doubtful = reading.sessions()
			.values()
			.stream()
			.filter((each) -> age(each, readAt).compareTo(each.ttl()) >= 0)
			.map(Session::id)
			.collect(Collectors.toSet());
		this.nextLook = next(newWatched, reading, false, sentAt, now);
		this.nextPatientLook = known ? next(newWatched, reading, true, sentAt, now) : this.nextLook;
	}

	/**
	 * Return whether the session that vouches for a lease may have ended long ago, by the
	 * clock of the store: then there is use in waiting until this process has seen for
	 * the TTL that it is silent. A hint: if it is wrong, somebody waits for a while.
	 * @param most the longest TTL to wait for
	 */
	boolean isDoubtful(Lease held, Duration most) {
		String id = held.sessionId();
		return id != null && this.doubtful.contains(id) && held.ttl().compareTo(most) <= 0;
	}

	/** Whoever goes on under another session is not gone. */
	private void forgetFormer(SessionReading reading, Set<String> newWatched) {
		Set<String> alive = new HashSet<>();
		reading.sessions()
			.values()
			.stream()
			.filter((each) -> !each.ended())
			.map(Session::candidate)
			.forEach(alive::add);
		this.others.entrySet().removeIf((each) -> {
			Session session = each.getValue().session();
			return session != null && session.ended() && alive.contains(session.candidate())
					&& !newWatched.contains(each.getKey());
		});
	}

	private static boolean isForgotten(Observation seen, Moment now) {
		Session session = seen.session();
		// What is not among those that are alive has ended, or rests, or was removed.
		return session == null || !session.ended() || now.nanos() - seen.since() >= REMEMBERED.toNanos();
	}

	/**
	 * Return whether a candidate has a session that holds nothing, as far as is known.
	 * @param held the ids of the sessions that are known to hold something
	 */
	boolean isIdle(String candidate, Duration ttl, Set<String> held, Moment now) {
		return this.others.values().stream().anyMatch((seen) -> {
			Session session = seen.session();
			return session != null && session.candidate().equals(candidate) && !session.ended()
					&& session.ttl().equals(ttl) && !held.contains(session.id()) && !now.isDue(seen.silentAt(ttl));
		});
	}

	/**
	 * A tombstone was to be created, which this process watches from now.
	 * @param done whether it was; otherwise there is a session, and the look was behind.
	 * If the next is as well, don't insist.
	 */
	void buried(Session tombstone, boolean done, Moment now) {
		this.others.put(tombstone.id(), done ? new Observation(tombstone, now.nanos(), now.nanos())
				: new Observation(null, now.nanos(), now.plus(pollInterval()).nanos()));
		if (!done) {
			lookBy(now.nanos());
		}
	}

	/**
	 * A session was to be ended.
	 * @param done whether this process has ended it, and goes first; otherwise it was not
	 * as it was seen: it was renewed, or somebody else has ended it, and goes first.
	 * Whoever lets others go first learns of that with the next look.
	 */
	void expired(Session seen, boolean done, Moment now) {
		this.others.put(seen.id(), new Observation(done ? seen.expired() : seen, now.nanos(), now.nanos()));
		if (!done && goesFirst()) {
			lookBy(now.nanos());
		}
	}

	/**
	 * Return when to look again: shortly after the next renewal of whoever is watched,
	 * which follows from the age of its last, by the clock of the store. That is a hint:
	 * if it is wrong a renewal is seen later, by one interval at most, and so expires
	 * later. Where nothing tells, and while a renewal is overdue, once per poll interval.
	 * @param patient whether to see a renewal one interval later than that: after the
	 * next but one; and while one is overdue after an interval, or as long as there was
	 * none to be seen
	 */
	private long next(Set<String> ids, SessionReading reading, boolean patient, Moment sentAt, Moment now) {
		// Where several lead there is always one that renews.
		long soonest = sentAt.nanos() + pollInterval().toNanos() / 4 * 3;
		Timing known = Objects.requireNonNull(this.timing);
		Duration longest = patient ? known.renewInterval().multipliedBy(2).plus(lookDelay()) : known.renewInterval();
		long at = now.plus(longest).nanos();
		for (String id : ids) {
			Session session = reading.sessions().get(id);
			if (session != null) {
				at = Moment.earlier(expected(session, known, reading.readAt(), patient, sentAt, now), at);
			}
		}
		return Moment.later(at, soonest);
	}

	private long expected(Session session, Timing known, @Nullable Instant readAt, boolean patient, Moment sentAt,
			Moment now) {
		if (readAt == null || session.renewedAt() == null) {
			return now.plus(pollInterval()).nanos();
		}
		double scale = (double) session.ttl().toMillis() / known.ttl().toMillis();
		Duration interval = Duration.ofNanos(Math.round(known.renewInterval().toNanos() * scale));
		Duration age = age(session, readAt);
		if (age.compareTo(interval) >= 0) {
			return patient ? patientLook(session, known, now) : now.plus(pollInterval()).nanos();
		}
		long at = sentAt.plus(interval.minus(age).plus(lookDelay())).nanos();
		long nextButOne = at + interval.toNanos();
		// One that is renewed in time must not look silent.
		return (patient && nextButOne - silentAt(session) < 0) ? nextButOne : at;
	}

	/** How old its last renewal was, by the clock of the store; 0 if nothing tells. */
	private static Duration age(Session session, @Nullable Instant readAt) {
		Instant renewedAt = session.renewedAt();
		return (readAt != null && renewedAt != null && renewedAt.isBefore(readAt)) ? Duration.between(renewedAt, readAt)
				: Duration.ZERO;
	}

	/**
	 * Return when to look again at one that is overdue, if another goes first: the longer
	 * it was seen to be silent, the less is to be expected before its TTL is over.
	 */
	private long patientLook(Session session, Timing known, Moment now) {
		Observation seen = Objects.requireNonNull(this.others.get(session.id()));
		long silentAt = seen.silentAt(session.ttl());
		long usual = now.plus(known.renewInterval()).nanos();
		if (session.ended() || now.isDue(silentAt)) {
			return usual;
		}
		long unchanged = now.nanos() + (now.nanos() - seen.since());
		return Moment.earlier(Moment.later(usual, unchanged), silentAt);
	}

	private long silentAt(Session session) {
		return Objects.requireNonNull(this.others.get(session.id())).silentAt(session.ttl());
	}

	/**
	 * Return how long after a renewal to send the next. Where something is vouched for,
	 * all processes renew in step, shortly after the clock of the store shows a multiple
	 * of the interval, so that one look shows the renewals of all. A hint again, which
	 * only ever makes a renewal come early, and little so: nobody looks for it before its
	 * time.
	 * @param busy whether something is vouched for
	 * @param sentAt when the last was sent
	 */
	Duration interval(OwnSession own, boolean busy, Moment sentAt) {
		Timing paced = own.protocol().timing();
		StoreClock clock = this.storeClock;
		if (!busy || clock == null) {
			return busy ? paced.renewInterval() : paced.idleInterval();
		}
		// All have renewed before the first of them looks.
		Duration near = pollInterval().dividedBy(16);
		Duration late = clock.past(paced.renewInterval(), spread(near), sentAt);
		Duration early = paced.renewInterval().minus(late);
		return (early.compareTo(near) <= 0) ? paced.renewInterval()
				: Timing.longer(early, paced.renewInterval().minus(pollInterval().dividedBy(4)));
	}

	/**
	 * Between a quarter and half of a poll interval, and different for each candidate:
	 * whoever sees the last renewal first takes over first, and the others hear of it
	 * before their own time has come. Whoever lets another go first waits that long once
	 * more before it ends a session.
	 */
	Duration lookDelay() {
		Duration quarter = pollInterval().dividedBy(4);
		return quarter.plus(spread(quarter));
	}

	/**
	 * For how long whoever has no session lets those go first that have one: a
	 * thirty-second to a sixteenth of a poll interval, different for each candidate.
	 */
	Duration standbyDelay() {
		return lookDelay().dividedBy(8);
	}

	private Duration spread(Duration most) {
		return Timing.spread(this.candidateId, most);
	}

}
