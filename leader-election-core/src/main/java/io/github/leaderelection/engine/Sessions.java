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

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process, one per time to live, and what it has observed of other
 * processes' sessions. Used only under the lock of {@link ElectionRegistry}.
 */
final class Sessions {

	private final String candidateId;

	private final Function<Timing, SessionProtocol> protocols;

	private final EngineClock clock;

	private final Map<Duration, OwnSession> own = new LinkedHashMap<>();

	/**
	 * How often to read the sessions that hold nothing this process waits for: it is not
	 * urgent to learn that one has appeared or ended.
	 */
	static final Duration LISTING_INTERVAL = Duration.ofSeconds(30);

	/**
	 * For how long to remember that a session has ended: until then
	 * {@link MemberDirectory} may still list its process.
	 */
	private static final Duration REMEMBERED = Duration.ofMinutes(10);

	private final Map<String, Observation> others = new TreeMap<>();

	/** The ids of the sessions that every read includes. */
	private Set<String> watched = Set.of();

	/** When all sessions were last read, {@code null} before the first time. */
	private @Nullable Moment listedAt;

	/** How many sessions have been seen for the first time. */
	private long sessionsSeen;

	/** When to read the sessions of others next; monotonic time. */
	private long nextLook;

	/** When to read them while another process goes first, or this one is paused. */
	private long nextPatientLook;

	/** Whether the last read failed. */
	private boolean failing;

	/** The strictest timing of all elections, {@code null} before the first joins. */
	private @Nullable Timing timing;

	/** The store's clock as of the last read, {@code null} if unknown. */
	private @Nullable StoreClock storeClock;

	Sessions(String candidateId, Function<Timing, SessionProtocol> protocols, EngineClock clock) {
		this.candidateId = candidateId;
		this.protocols = protocols;
		this.clock = clock;
		this.nextLook = clock.now().nanos();
		this.nextPatientLook = this.nextLook;
	}

	/**
	 * Return the session for elections with these settings, and apply their timing to it.
	 * Create the session if there is none.
	 */
	OwnSession join(ElectionSettings settings) {
		Timing joining = settings.timing();
		Timing present = (this.timing != null) ? this.timing : joining;
		// Keep the TTL that belongs to the shortest renew interval: expected() uses their
		// ratio.
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
	 * Return the last observation of the session that vouches for the lease, {@code null}
	 * if there is none. If this process does not watch the session, only an observation
	 * that it has ended counts: any other says nothing about the present (R7).
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
	 * Return the ids of the candidates that were seen alive and are gone: all their
	 * sessions have ended, or been silent for their TTL. A candidate without an observed
	 * session is not included, because it may have just started or stand in no election.
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

	/**
	 * Return how many sessions have been seen for the first time. When the number grows,
	 * other processes may have joined.
	 */
	long sessionsSeen() {
		return this.sessionsSeen;
	}

	/**
	 * Return a session that has been silent for three TTLs, so its process has crashed,
	 * is cut off, or goes on under another session; {@code null} if there is none. It is
	 * to be ended, so that the store can remove it (S7).
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
	 * Return the approximate time up to which the session is known to be unchanged;
	 * monotonic time.
	 */
	private long lookedAt(Session session, Moment now) {
		Moment listed = this.listedAt;
		return (listed == null || this.watched.contains(session.id())) ? now.nanos() : listed.nanos();
	}

	/** Return whether it is time to read all sessions. */
	boolean isListingDue(Moment now) {
		Moment listed = this.listedAt;
		return listed == null || now.since(listed).compareTo(LISTING_INTERVAL) >= 0;
	}

	private boolean isOwn(Session seen) {
		return seen.candidate().equals(this.candidateId)
				&& this.own.values().stream().anyMatch((each) -> each.isCurrent(seen));
	}

	/** Return when to read the sessions of others next; monotonic time. */
	long nextLook() {
		return goesFirst() ? this.nextLook : this.nextPatientLook;
	}

	/** Return whether this process leads, or takes over before others. */
	private boolean goesFirst() {
		return this.own.values().stream().anyMatch((each) -> each.isNeeded() && !each.isSpare());
	}

	/**
	 * Read by the given time, because something is unknown. After a failed read, keep to
	 * the time of its retry.
	 */
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
	 * Follow a session that vouches for a lease this process waits for. If the session is
	 * not watched yet, schedule a read.
	 * @param hurried whether a candidate waits for the answer; otherwise, unless nothing
	 * was read before, the read is delayed a little, by a different time in each process
	 */
	void follow(String id, boolean hurried, Moment now) {
		if (!this.watched.contains(id)) {
			boolean soon = this.listedAt != null && !hurried;
			lookBy((soon ? now.plus(lookDelay()) : now).nanos());
		}
	}

	/** Watch no session: this process waits for no lease. */
	void nothingToWatch() {
		this.watched = Set.of();
	}

	/**
	 * Watch no session: no other process holds a lease that this one waits for. All
	 * sessions are still read every {@link #LISTING_INTERVAL}.
	 */
	void nothingToLookAt(Moment now) {
		Moment listed = this.listedAt;
		nothingToWatch();
		this.failing = false;
		lookAt(((listed != null) ? listed.plus(LISTING_INTERVAL) : now).nanos());
	}

	/** Schedule a retry after a failed read. */
	void lookFailed(Moment now) {
		this.failing = true;
		lookAt(now.plus(pollInterval()).nanos());
	}

	/**
	 * Return the shortest operation timeout of all elections. They share one thread for
	 * their calls, so no call may block it for longer than the strictest of them allows.
	 */
	Duration operationTimeout() {
		return (this.timing != null) ? this.timing.timeout() : Duration.ofSeconds(1);
	}

	private Duration pollInterval() {
		return (this.timing != null) ? this.timing.pollInterval() : Duration.ofSeconds(1);
	}

	/**
	 * Record the result of a read.
	 * @param newWatched the ids of the sessions that vouch for leases this process waits
	 * for
	 * @param all whether the sessions that hold nothing of interest were read as well
	 * @param sentAt a time before the read was sent
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
			this.sessionsSeen += this.others.containsKey(id) ? 0 : 1;
			this.others.put(id, protocol.observe(this.others.get(id), reading.sessions().get(id), now, lookDelay()));
		}
		Instant readAt = reading.readAt();
		this.storeClock = (readAt != null) ? new StoreClock(readAt, sentAt) : null;
		this.nextLook = next(newWatched, reading, false, sentAt, now);
		this.nextPatientLook = known ? next(newWatched, reading, true, sentAt, now) : this.nextLook;
	}

	/**
	 * Return whether the holder of the lease has probably crashed: by the store's clock,
	 * its session was not renewed for a TTL. Then it pays to wait until this process
	 * itself has seen the session silent for its TTL. This is only a hint: if it is
	 * wrong, a candidate waits for a while in vain.
	 * @param most the longest TTL to wait for
	 */
	boolean isDoubtful(Lease held, Duration most) {
		Observation seen = of(held);
		Session session = (seen != null) ? seen.session() : null;
		StoreClock clock = this.storeClock;
		return session != null && clock != null && age(session, clock.readAt()).compareTo(session.ttl()) >= 0
				&& held.ttl().compareTo(most) <= 0;
	}

	/**
	 * Forget the ended sessions of candidates that live on under another session, because
	 * such a candidate is not gone.
	 */
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
		// A session seen alive before and now not listed has ended, was closed or was
		// removed.
		return session == null || !session.ended() || now.nanos() - seen.since() >= REMEMBERED.toNanos();
	}

	/**
	 * Return whether, as far as is known, the candidate has a live session with this TTL
	 * that holds no lease.
	 * @param held the ids of the sessions that are known to hold a lease
	 */
	boolean isIdle(String candidate, Duration ttl, Set<String> held, Moment now) {
		return this.others.values().stream().anyMatch((seen) -> {
			Session session = seen.session();
			return session != null && session.candidate().equals(candidate) && !session.ended()
					&& session.ttl().equals(ttl) && !held.contains(session.id()) && !now.isDue(seen.silentAt(ttl));
		});
	}

	/**
	 * Record the outcome of inserting a tombstone, which this process watches from now
	 * on.
	 * @param done whether it was inserted; if not, the session exists and the last read
	 * was stale. Read again at once. If that read is stale as well, the next attempt
	 * waits for a poll interval
	 */
	void buried(Session tombstone, boolean done, Moment now) {
		this.others.put(tombstone.id(), done ? new Observation(tombstone, now.nanos(), now.nanos())
				: new Observation(null, now.nanos(), now.plus(pollInterval()).nanos()));
		if (!done) {
			lookBy(now.nanos());
		}
	}

	/**
	 * Record the outcome of ending a session.
	 * @param done whether this process ended it, and so takes over first; if not, the
	 * session was renewed, or another process ended it and takes over first. A process
	 * that lets others go first learns which from its next regular read, any other reads
	 * at once
	 */
	void expired(Session seen, boolean done, Moment now) {
		this.others.put(seen.id(), new Observation(done ? seen.expired() : seen, now.nanos(), now.nanos()));
		if (!done && goesFirst()) {
			lookBy(now.nanos());
		}
	}

	/**
	 * Return when to read again: shortly after a watched session is next renewed, judging
	 * by the age of its last renewal on the store's clock. This is only a hint: if it is
	 * wrong, a renewal is seen up to one interval late, and the session expires that much
	 * later. If the age is unknown, or a renewal is overdue, read once per poll interval.
	 * @param patient whether to wait for the next renewal but one instead; and while a
	 * renewal is overdue, for one interval, or for as long as the session has been silent
	 * if that is longer, but not beyond its TTL
	 */
	private long next(Set<String> ids, SessionReading reading, boolean patient, Moment sentAt, Moment now) {
		// With several leaders some renewal is always about to come: limit the rate of
		// reads.
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
		Observation seen = Objects.requireNonNull(this.others.get(session.id()));
		long silentAt = seen.silentAt(session.ttl());
		double scale = (double) session.ttl().toMillis() / known.ttl().toMillis();
		Duration interval = Duration.ofNanos(Math.round(known.renewInterval().toNanos() * scale));
		Duration age = age(session, readAt);
		if (age.compareTo(interval) >= 0) {
			return patient ? patientLook(seen, silentAt, known, now) : now.plus(pollInterval()).nanos();
		}
		long at = sentAt.plus(interval.minus(age).plus(lookDelay())).nanos();
		long nextButOne = at + interval.toNanos();
		// A session that is renewed on time must not seem silent.
		return (patient && nextButOne - silentAt < 0) ? nextButOne : at;
	}

	/** Return the age of the last renewal by the store's clock, zero if unknown. */
	private static Duration age(Session session, Instant readAt) {
		Instant renewedAt = session.renewedAt();
		return (renewedAt != null && renewedAt.isBefore(readAt)) ? Duration.between(renewedAt, readAt) : Duration.ZERO;
	}

	/**
	 * Return when to read an overdue session again if another process goes first. The
	 * longer the session has been silent, the less likely it is renewed before its TTL is
	 * over, so the longer the wait.
	 */
	private long patientLook(Observation seen, long silentAt, Timing known, Moment now) {
		long usual = now.plus(known.renewInterval()).nanos();
		if (hasEnded(seen) || now.isDue(silentAt)) {
			return usual;
		}
		long unchanged = now.nanos() + (now.nanos() - seen.since());
		return Moment.earlier(Moment.later(usual, unchanged), silentAt);
	}

	/**
	 * Return how long after a renewal to send the next. While their sessions vouch for
	 * leases, all processes renew in step, shortly after the store's clock shows a
	 * multiple of the interval, so that one read shows the renewals of all. This, too, is
	 * only a hint: it can make a renewal slightly early, but never late, and no process
	 * expects a renewal before its regular time.
	 * @param busy whether the session vouches for any lease
	 * @param sentAt when the last renewal was sent
	 */
	Duration interval(OwnSession own, boolean busy, Moment sentAt) {
		Timing paced = own.protocol().timing();
		StoreClock clock = this.storeClock;
		if (!busy || clock == null) {
			return busy ? paced.renewInterval() : paced.idleInterval();
		}
		// All processes have renewed before the first of them reads.
		Duration near = pollInterval().dividedBy(16);
		Duration late = clock.past(paced.renewInterval(), spread(near), sentAt);
		Duration early = paced.renewInterval().minus(late);
		return (early.compareTo(near) <= 0) ? paced.renewInterval()
				: Timing.longer(early, paced.renewInterval().minus(pollInterval().dividedBy(4)));
	}

	/**
	 * Return how long after an expected renewal to read: a quarter to half of a poll
	 * interval, different for each candidate. The candidate that saw the last renewal
	 * first takes over first, and the others learn of that before their own turn. A
	 * candidate that lets another go first waits for this long once more before it ends a
	 * session.
	 */
	Duration lookDelay() {
		Duration quarter = pollInterval().dividedBy(4);
		return quarter.plus(spread(quarter));
	}

	/**
	 * Return how long a candidate without a session lets those with one take a free lease
	 * first: a thirty-second to a sixteenth of a poll interval, different for each
	 * candidate.
	 */
	Duration standbyDelay() {
		return lookDelay().dividedBy(8);
	}

	private Duration spread(Duration most) {
		return Timing.spread(this.candidateId, most);
	}

}
