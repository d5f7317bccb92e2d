package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
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

	/** How many requests a heartbeat has room for. */
	private static final int MOST_REQUESTS = 16;

	private final InstantSource clock;

	private final Map<String, Lease> leases = new HashMap<>();

	private final Map<String, Instant> createdAt = new HashMap<>();

	private final Map<String, Heartbeat> heartbeats = new HashMap<>();

	/** What is asked for at each heartbeat. */
	private final Map<String, List<PauseRequest>> requests = new HashMap<>();

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
	 * @param clock what dates {@link Lease#electedAt()} and {@link Heartbeat#beatAt()}
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
	public synchronized boolean enter(Heartbeat first, Duration timeout) {
		return this.heartbeats.putIfAbsent(first.id(), dated(first)) == null;
	}

	@Override
	public synchronized BeatReply beat(Heartbeat next, Duration timeout) {
		Heartbeat stored = this.heartbeats.get(next.id());
		if (stored == null || stored.epoch() != next.epoch() || stored.beat() > next.beat()) {
			return BeatReply.REFUSED;
		}
		this.heartbeats.put(next.id(), dated(next));
		return new BeatReply(true, this.requests.getOrDefault(next.id(), List.of()));
	}

	@Override
	public synchronized boolean ask(String id, PauseRequest request, Duration timeout) {
		if (!this.heartbeats.containsKey(id)) {
			return false;
		}
		List<PauseRequest> left = this.requests.computeIfAbsent(id, (none) -> new ArrayList<>());
		left.add(request);
		if (left.size() > MOST_REQUESTS) {
			left.remove(0);
		}
		return true;
	}

	@Override
	public synchronized boolean end(Heartbeat seen, long epoch, Duration timeout) {
		Heartbeat stored = this.heartbeats.get(seen.id());
		if (stored == null || !stored.isSameBeatAs(seen) || epoch <= seen.epoch()) {
			return false;
		}
		this.heartbeats.put(seen.id(),
				new Heartbeat(stored.id(), epoch, stored.beat(), stored.ttl(), stored.beatAt(), true));
		return true;
	}

	@Override
	public synchronized void leave(Heartbeat own, Duration timeout) {
		Heartbeat stored = this.heartbeats.get(own.id());
		if (stored != null && stored.epoch() == own.epoch()) {
			removeHeartbeat(own.id());
		}
	}

	@Override
	public synchronized HeartbeatReading heartbeats(Collection<String> ids, Duration timeout) {
		return new HeartbeatReading(this.heartbeats, this.clock.instant());
	}

	private Heartbeat dated(Heartbeat heartbeat) {
		return new Heartbeat(heartbeat.id(), heartbeat.epoch(), heartbeat.beat(), heartbeat.ttl(),
				this.clock.instant());
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
	 * Remove a heartbeat, as somebody may drop a document from a database.
	 * @param id the id of the heartbeat
	 * @return whether there was one
	 */
	public synchronized boolean removeHeartbeat(String id) {
		this.requests.remove(id);
		return this.heartbeats.remove(id) != null;
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
