package io.github.leaderelection.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import org.jspecify.annotations.Nullable;

/**
 * A {@link LeaseStore} in memory, for tests: engines that share an instance compete as
 * processes that share a database do. Never waits, so that timeouts have no effect. Keeps
 * nothing beyond its own life, and is safe for use by several threads.
 */
public final class InMemoryLeaseStore implements LeaseStore {

	private final InstantSource clock;

	private final Map<String, Lease> leases = new HashMap<>();

	private final Set<InMemoryLeaseWatch> watches = new CopyOnWriteArraySet<>();

	/**
	 * Create an empty store that dates its leases by the clock of the system.
	 */
	public InMemoryLeaseStore() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty store.
	 * @param clock what dates {@link Lease#electedAt()} and {@link Lease#renewedAt()}
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
		return new LeaseReading(found, Map.of(), this.clock.instant());
	}

	@Override
	public synchronized Set<String> create(Collection<Lease> vacant, Duration timeout) {
		Set<String> created = new LinkedHashSet<>();
		for (Lease lease : vacant) {
			if (!this.leases.containsKey(lease.election())) {
				put(new Lease(lease.election(), null, lease.term(), 0, lease.ttl(), null, null));
				created.add(lease.election());
			}
		}
		return created;
	}

	@Override
	public synchronized Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		Map<String, Lease> taken = new HashMap<>();
		for (LeaseTaking taking : LeaseTaking.valid(takings)) {
			Lease stored = this.leases.get(taking.expected().election());
			if (stored != null && stored.isSameRevisionAs(taking.expected())) {
				Lease lease = put(taking.taken().withDates(this.clock.instant(), this.clock.instant()));
				taken.put(lease.election(), lease);
			}
		}
		return taken;
	}

	@Override
	public synchronized LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		Set<LeaseClaim> renewed = new LinkedHashSet<>();
		Set<LeaseClaim> refused = new LinkedHashSet<>();
		for (LeaseClaim claim : claims) {
			Lease lease = claimed(claim);
			if (lease == null) {
				refused.add(claim);
			}
			else if (renewed.add(claim)) {
				change(lease, lease.holder(), null);
			}
		}
		return new LeaseRenewal(renewed, refused);
	}

	@Override
	public synchronized int release(Collection<LeaseRelease> releases, Duration timeout) {
		int released = 0;
		for (LeaseRelease release : releases) {
			Lease lease = claimed(release.claim());
			if (lease != null) {
				change(lease, null, release.successor());
				released++;
			}
		}
		return released;
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
		if (removed) {
			tell(LeaseChange.removal(election));
		}
		return removed;
	}

	private @Nullable Lease claimed(LeaseClaim claim) {
		Lease lease = this.leases.get(claim.election());
		return (lease != null && lease.isHeldBy(claim.holder()) && lease.term() == claim.term()) ? lease : null;
	}

	private void change(Lease lease, @Nullable String holder, @Nullable String successor) {
		put(new Lease(lease.election(), holder, lease.term(), lease.revision() + 1, lease.ttl(), lease.electedAt(),
				this.clock.instant(), successor));
	}

	private Lease put(Lease lease) {
		this.leases.put(lease.election(), lease);
		tell(new LeaseChange(lease));
		return lease;
	}

	private void tell(LeaseChange change) {
		this.watches.forEach((watch) -> watch.tell(change));
	}

}
