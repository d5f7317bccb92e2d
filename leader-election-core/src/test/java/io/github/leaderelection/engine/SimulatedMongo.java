package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.Session;

/**
 * A replica set with leases and sessions, without the network. A write takes effect on
 * the primary at once, is answered when a majority has it, and is rolled back if the
 * primary is replaced before. Reads and watches show what a majority has. Reads of a
 * primary that does not know it was replaced show what a majority had before.
 */
final class SimulatedMongo {

	private static final int REMEMBERED = 20;

	/** The key of the highest term of all leases that were removed. */
	private static final String FLOOR = "(floor)";

	private final Map<String, Object> onPrimary = new HashMap<>();

	private final Deque<Write> uncommitted = new ArrayDeque<>();

	private final List<Map<String, Object>> committed = new ArrayList<>(List.of(Map.of()));

	private final Set<Consumer<Lease>> watches = new LinkedHashSet<>();

	private final Flaw flaw;

	private final SplittableRandom firstRevisions = new SplittableRandom(0);

	private Consumer<Lease> onRelease = (lease) -> {
	};

	private final Timeline timeline;

	private final boolean tellsTime;

	/** The error of the servers' clock. */
	private Duration clockError = Duration.ZERO;

	private int staleness;

	/**
	 * Create a replica set without leases.
	 * @param tellsTime whether reads return the time at which they were made
	 */
	SimulatedMongo(Timeline timeline, Flaw flaw, boolean tellsTime) {
		this.timeline = timeline;
		this.flaw = flaw;
		this.tellsTime = tellsTime;
	}

	/**
	 * Set an observer of releases that name the stored revision, and are made by the
	 * holder itself or while its session is alive.
	 */
	void onRelease(Consumer<Lease> observer) {
		this.onRelease = observer;
	}

	/** Let reads show what a majority had that many changes ago. */
	void setStaleness(int changes) {
		this.staleness = changes;
	}

	/** Set the error of the clock that dates writes. */
	void setClockError(Duration error) {
		this.clockError = error;
	}

	/** Return how long ago the session was renewed, by the clock of the servers. */
	Duration sinceRenewed(String sessionId) {
		return Duration.between(session(sessionId).renewedAt(), clock());
	}

	private Instant clock() {
		return Instant.ofEpochMilli(this.timeline.now() / 1_000_000).plus(this.clockError);
	}

	// What clients ask for

	private Map<String, Object> snapshot() {
		return this.committed.get(Math.max(0, this.committed.size() - 1 - this.staleness));
	}

	LeaseReading read(Collection<String> elections) {
		Map<String, Object> snapshot = snapshot();
		Map<String, Lease> found = new HashMap<>();
		elections.stream().filter(snapshot::containsKey).forEach((each) -> found.put(each, (Lease) snapshot.get(each)));
		return new LeaseReading(found, Map.of());
	}

	Set<String> create(Collection<Lease> vacant) {
		Set<String> created = new LinkedHashSet<>();
		for (Lease lease : vacant) {
			if (!this.onPrimary.containsKey(lease.election())) {
				write(lease.election(), first(lease));
				created.add(lease.election());
			}
		}
		return created;
	}

	/**
	 * Return a lease with a revision that no other lease had or will have: drivers make
	 * sure that no insert is carried out twice.
	 */
	private Lease first(Lease lease) {
		Long floor = (Long) this.onPrimary.get(FLOOR);
		long term = (floor != null) ? Math.max(floor, lease.term()) + 1 : lease.term();
		long revision = (this.flaw == Flaw.REVISIONS_BEGIN_ANEW) ? 0 : this.firstRevisions.nextLong(1, 1L << 40);
		return Lease.vacant(lease.election(), term, revision, lease.ttl());
	}

	/**
	 * Remove the lease if it is vacant.
	 * @param raise whether leases that are created later begin above its term
	 */
	void removeUnused(String election, boolean raise) {
		if (this.onPrimary.get(election) instanceof Lease lease && lease.isVacant()) {
			Long floor = (Long) this.onPrimary.getOrDefault(FLOOR, 0L);
			if (raise) {
				write(FLOOR, Math.max(floor, lease.term()));
			}
			write(election, null);
		}
	}

	/** Take leases. If any fails, return none: a server reports only the number. */
	Map<String, Lease> take(Collection<Lease> claims) {
		Map<String, Lease> taken = new HashMap<>();
		for (Lease claim : claims) {
			Lease stored = (Lease) this.onPrimary.get(claim.election());
			if (stored != null && (this.flaw == Flaw.TAKES_BY_ID_ALONE || isNext(claim, stored))) {
				taken.put(claim.election(), dated(claim));
				write(claim.election(), taken.get(claim.election()));
			}
		}
		return (taken.size() == claims.size()) ? taken : Map.of();
	}

	private static boolean isNext(Lease lease, Lease stored) {
		return lease.revision() == stored.revision() + 1 && lease.term() >= stored.term();
	}

	private Lease dated(Lease claim) {
		return new Lease(claim.election(), claim.holder(), claim.session(), claim.term(), claim.revision(), claim.ttl(),
				clock(), claim.successor(), null, false);
	}

	/**
	 * Release leases. If any fails, return none: a server reports only the number.
	 * @param candidate the candidate that releases them
	 */
	Set<String> release(Collection<Lease> released, String candidate) {
		Set<String> done = released.stream()
			.filter((each) -> release(each, candidate))
			.map(Lease::election)
			.collect(Collectors.toSet());
		return (done.size() == released.size()) ? done : Set.of();
	}

	private boolean release(Lease released, String candidate) {
		Lease stored = (Lease) this.onPrimary.get(released.election());
		boolean exact = stored != null && isNext(released, stored);
		boolean matches = stored != null && switch (this.flaw) {
			case RELEASES_BY_ID_ALONE -> true;
			case RELEASES_BY_HOLDER_ALONE -> stored.isHeldBy(candidate);
			default -> exact;
		};
		// Other processes release leases whose session is over or missing, to make a late
		// taking fail.
		if (exact && (stored.isHeldBy(candidate) || isAlive(stored.sessionId()))) {
			this.onRelease.accept(stored);
		}
		if (matches) {
			write(stored.election(), stored.released(released.successor()));
		}
		return matches;
	}

	private boolean isAlive(String sessionId) {
		return this.onPrimary.get(sessionId) instanceof Session session && !session.ended() && !session.isTombstone();
	}

	boolean create(Session session) {
		if (this.onPrimary.containsKey(session.id())) {
			return false;
		}
		write(session.id(), dated(session));
		return true;
	}

	private Session dated(Session session) {
		return new Session(session.candidate(), session.number(), session.revision(), session.ttl(), clock(),
				session.ended());
	}

	boolean renew(Session renewed) {
		Session stored = (Session) this.onPrimary.get(renewed.id());
		boolean matches = stored != null && !stored.ended() && stored.revision() + 1 == renewed.revision();
		if (matches) {
			write(renewed.id(), dated(renewed));
		}
		return matches;
	}

	boolean expire(Session seen) {
		Session stored = (Session) this.onPrimary.get(seen.id());
		boolean matches = stored != null && !stored.ended()
				&& (stored.revision() == seen.revision() || this.flaw == Flaw.ENDS_BY_ID_ALONE);
		if (matches) {
			write(stored.id(), stored.expired());
		}
		return matches;
	}

	boolean close(Session own) {
		remove(own.id());
		return true;
	}

	SessionReading sessions(Collection<String> ids, boolean others) {
		Map<String, Session> found = new TreeMap<>();
		snapshot().forEach((id, value) -> {
			if (value instanceof Session session && (ids.contains(id) || (others && !session.ended()))) {
				found.put(id, session);
			}
		});
		return new SessionReading(found, this.tellsTime ? clock() : null);
	}

	/** Store a request for a handover, as an operator may. */
	void ask(String election, HandoverRequest request) {
		if (this.onPrimary.get(election) instanceof Lease lease) {
			write(election, lease.asking(request));
		}
	}

	/** Pause or resume an election, as an operator may. */
	void pause(String election, boolean paused) {
		if (this.onPrimary.get(election) instanceof Lease lease && lease.paused() != paused) {
			write(election, paused(lease, paused));
		}
	}

	private static Lease paused(Lease lease, boolean paused) {
		return new Lease(lease.election(), lease.holder(), lease.session(), lease.term(), lease.revision() + 1,
				lease.ttl(), lease.electedAt(), lease.successor(), lease.request(), paused);
	}

	/** Remove a record, as an operator may. */
	void remove(String id) {
		if (this.onPrimary.containsKey(id)) {
			write(id, null);
		}
	}

	/** Put back a lease that was removed: vacant, and with the given term. */
	void restore(String election, long term) {
		if (!this.onPrimary.containsKey(election) && term > 0) {
			write(election, Lease.vacant(election, term, 1_000_000, Duration.ofSeconds(1)));
			commit();
		}
	}

	private void write(String key, Object value) {
		if (value != null) {
			this.onPrimary.put(key, value);
		}
		else {
			this.onPrimary.remove(key);
		}
		this.uncommitted.add(new Write(key, value, null));
	}

	/** Run the answer once all writes so far are durable; never if rolled back. */
	void whenDurable(Runnable answer) {
		if (this.uncommitted.isEmpty() || this.flaw == Flaw.ACKNOWLEDGES_BEFORE_MAJORITY) {
			answer.run();
		}
		else {
			this.uncommitted.add(new Write(null, null, answer));
		}
	}

	void watch(Consumer<Lease> watch) {
		this.watches.add(watch);
	}

	void unwatch(Consumer<Lease> watch) {
		this.watches.remove(watch);
	}

	// What the servers do

	/** Commit all writes: a majority has them. */
	void commit() {
		List<Write> writes = List.copyOf(this.uncommitted);
		this.uncommitted.clear();
		commit(writes);
		writes.stream().map(Write::answer).filter(Objects::nonNull).forEach(Runnable::run);
	}

	/**
	 * Replace the primary by one that has only the first few of the uncommitted writes.
	 * Pending writes are never answered.
	 */
	void failOver(int kept) {
		commit(this.uncommitted.stream().limit(kept).toList());
		this.uncommitted.clear();
		this.onPrimary.clear();
		this.onPrimary.putAll(last());
	}

	int uncommitted() {
		return this.uncommitted.size();
	}

	private void commit(List<Write> writes) {
		Map<String, Object> snapshot = new HashMap<>(last());
		List<Lease> shown = new ArrayList<>();
		for (Write write : writes) {
			if (write.value() != null) {
				snapshot.put(write.key(), write.value());
			}
			else if (write.key() != null) {
				snapshot.remove(write.key());
			}
			if (write.value() instanceof Lease lease) {
				shown.add(lease);
			}
		}
		this.committed.add(snapshot);
		if (this.committed.size() > REMEMBERED) {
			this.committed.remove(0);
		}
		shown.forEach((lease) -> List.copyOf(this.watches).forEach((watch) -> watch.accept(lease)));
	}

	private Map<String, Object> last() {
		return this.committed.get(this.committed.size() - 1);
	}

	/** Return the lease as a majority has it, {@code null} if there is none. */
	Lease lease(String election) {
		return (Lease) last().get(election);
	}

	/** Return whether the primary's version differs from the majority's. */
	boolean isAboutToChange(String id) {
		return !Objects.equals(this.onPrimary.get(id), last().get(id));
	}

	/** Return whether the primary or the majority does not have the record. */
	boolean isMissing(String id) {
		return !this.onPrimary.containsKey(id) || !last().containsKey(id);
	}

	/** Return the session as a majority has it, {@code null} if there is none. */
	Session session(String id) {
		return (Session) last().get(id);
	}

	private record Write(String key, Object value, Runnable answer) {

	}

}
