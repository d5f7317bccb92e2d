package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * A {@link LockStore} in memory, for tests: engines that share an instance compete as
 * processes that share a database do. Never waits, so that timeouts have no effect. Keeps
 * nothing beyond its own life, and is safe for use by several threads.
 */
public final class InMemoryLeaseStore implements LockStore {

	private final InstantSource clock;

	private final Map<String, Lease> leases = new HashMap<>();

	private final Map<String, Instant> createdAt = new HashMap<>();

	private final Map<String, Session> sessions = new HashMap<>();

	/** No lease with a greater term was ever removed as unused. */
	private long floor = -1;

	private final Set<InMemoryLeaseWatch> watches = new CopyOnWriteArraySet<>();

	/**
	 * Create an empty store that dates what it keeps by the clock of the system.
	 */
	public InMemoryLeaseStore() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty store.
	 * @param clock what dates {@link Lease#electedAt()} and {@link Session#renewedAt()}
	 */
	public InMemoryLeaseStore(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized LeaseReading read(Collection<String> elections, Duration timeout) {
		Map<String, Lease> found = new HashMap<>();
		for (String election : elections) {
			Lease lease = this.leases.get(election);
			if (lease != null) {
				found.put(election, lease);
			}
		}
		return new LeaseReading(found, Map.of());
	}

	@Override
	public synchronized Set<String> create(Collection<Lease> vacant, Duration timeout) {
		Set<String> created = new LinkedHashSet<>();
		for (Lease lease : vacant) {
			if (!this.leases.containsKey(lease.election())) {
				this.createdAt.put(lease.election(), this.clock.instant());
				put(Lease.vacant(lease.election(), Math.max(lease.term(), this.floor + 1), 0, lease.ttl()));
				created.add(lease.election());
			}
		}
		return created;
	}

	@Override
	public synchronized Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		Map<String, Lease> taken = new HashMap<>();
		for (LeaseTaking taking : LeaseTaking.valid(takings)) {
			if (isStored(taking.expected()) && !isPaused(taking.expected().election())) {
				Lease lease = taking.taken().electedAt(this.clock.instant());
				put(lease);
				taken.put(lease.election(), lease);
			}
		}
		return taken;
	}

	@Override
	public synchronized int release(Collection<LeaseRelease> releases, Duration timeout) {
		int released = 0;
		for (LeaseRelease release : releases) {
			if (isStored(release.expected())) {
				String election = release.expected().election();
				put(release.expected().released(release.successor()).paused(isPaused(election)));
				released++;
			}
		}
		return released;
	}

	@Override
	public synchronized boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		Lease stored = this.leases.get(expected.election());
		if (stored == null || stored.isVacant() || !stored.isSameRevisionAs(expected)) {
			return false;
		}
		put(stored.asking(request));
		return true;
	}

	@Override
	public synchronized boolean pause(String election, boolean paused, Duration timeout) {
		Lease stored = this.leases.get(election);
		if (stored == null || stored.paused() == paused) {
			return false;
		}
		put(stored.paused(paused));
		return true;
	}

	@Override
	public synchronized int removeUnused(Duration unusedFor, int most, Duration timeout) {
		Instant before = this.clock.instant().minus(unusedFor);
		List<Lease> unused = this.leases.values()
			.stream()
			.filter((lease) -> lease.isVacant() && usedAt(lease).isBefore(before))
			.limit(most)
			.toList();
		for (Lease lease : unused) {
			this.floor = Math.max(this.floor, lease.term());
			remove(lease.election());
		}
		return unused.size();
	}

	private Instant usedAt(Lease lease) {
		Instant electedAt = lease.electedAt();
		return (electedAt != null) ? electedAt : this.createdAt.getOrDefault(lease.election(), Instant.EPOCH);
	}

	@Override
	public synchronized boolean create(Session session, Duration timeout) {
		return this.sessions.putIfAbsent(session.id(), session.renewedAt(this.clock.instant())) == null;
	}

	@Override
	public synchronized boolean renew(Session renewed, Duration timeout) {
		Session stored = this.sessions.get(renewed.id());
		if (stored == null || !stored.renewed().isSameRevisionAs(renewed) || stored.ended()
				|| !stored.ttl().equals(renewed.ttl())) {
			return false;
		}
		this.sessions.put(renewed.id(), renewed.renewedAt(this.clock.instant()));
		return true;
	}

	@Override
	public synchronized boolean expire(Session seen, Duration timeout) {
		Session stored = this.sessions.get(seen.id());
		if (stored == null || stored.ended() || !stored.isSameRevisionAs(seen)) {
			return false;
		}
		this.sessions.put(seen.id(), stored.expired());
		return true;
	}

	@Override
	public synchronized void close(Session own, Duration timeout) {
		this.sessions.remove(own.id());
	}

	@Override
	public synchronized SessionReading sessions(Collection<String> ids, Duration timeout) {
		return new SessionReading(this.sessions, this.clock.instant());
	}

	@Override
	public LeaseWatch watch() {
		InMemoryLeaseWatch watch = new InMemoryLeaseWatch(this.watches::remove);
		this.watches.add(watch);
		return watch;
	}

	/**
	 * Remove a lease, as somebody may drop a document from a database. No election needs
	 * this; a test may want to see what happens.
	 * @param election the election name
	 * @return whether there was a lease
	 */
	public synchronized boolean remove(String election) {
		boolean removed = this.leases.remove(election) != null;
		this.createdAt.remove(election);
		if (removed) {
			tell(LeaseChange.removal(election));
		}
		return removed;
	}

	/**
	 * Remove a session, as somebody may drop a document from a database.
	 * @param id the id of the session
	 * @return whether there was one
	 */
	public synchronized boolean removeSession(String id) {
		return this.sessions.remove(id) != null;
	}

	private boolean isPaused(String election) {
		Lease stored = this.leases.get(election);
		return stored != null && stored.paused();
	}

	private boolean isStored(Lease expected) {
		Lease stored = this.leases.get(expected.election());
		return stored != null && stored.isSameRevisionAs(expected);
	}

	private void put(Lease lease) {
		this.leases.put(lease.election(), lease);
		tell(new LeaseChange(lease));
	}

	private void tell(LeaseChange change) {
		this.watches.forEach((watch) -> watch.tell(change));
	}

}
