package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Another process that holds leases, for tests: it lives as long as a test lets it beat.
 */
public final class Rival {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final LeaseStore store;

	private final String id;

	private final Duration ttl;

	private long beat;

	public Rival(LeaseStore store, String id, Duration ttl) {
		this.store = store;
		this.id = id;
		this.ttl = ttl;
	}

	/** Enter its heartbeat, or beat. */
	public Heartbeat beat() {
		Heartbeat next = new Heartbeat(Heartbeat.id(this.id, this.ttl), 1, ++this.beat, this.ttl, null);
		if (!this.store.enter(next, TIMEOUT)) {
			this.store.beat(next, TIMEOUT);
		}
		return next;
	}

	/** Take the lease, whoever holds it. */
	public Lease take(String election) {
		Lease lease = read(this.store, election);
		return take((lease != null) ? lease : create(this.store, election, 0, this.ttl));
	}

	/** Take the lease as it was seen. */
	public Lease take(Lease lease) {
		LeaseTaking taking = LeaseTaking.of(lease, this.id, beat(), lease.term() + 1);
		Map<String, Lease> taken = this.store.take(List.of(taking), TIMEOUT);
		return taken.get(lease.election());
	}

	public void release(String election) {
		Lease lease = read(this.store, election);
		if (lease != null && lease.isHeldBy(this.id)) {
			this.store.release(List.of(new LeaseRelease(lease, null)), TIMEOUT);
		}
	}

	/** Create a vacant lease. */
	public static Lease create(LeaseStore store, String election, long term, Duration ttl) {
		store.create(List.of(Lease.vacant(election, term, 0, ttl)), TIMEOUT);
		return read(store, election);
	}

	public static Lease read(LeaseStore store, String election) {
		return store.read(Set.of(election), TIMEOUT).leases().get(election);
	}

}
