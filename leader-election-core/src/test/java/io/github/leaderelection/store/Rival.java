package io.github.leaderelection.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * Another process, which does what a test tells it to.
 */
public class Rival {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final AtomicLong numbers = new AtomicLong();

	private final LeaseStore store;

	private final String id;

	private final Duration ttl;

	private @Nullable Session session;

	public Rival(LeaseStore store, String id, Duration ttl) {
		this.store = store;
		this.id = id;
		this.ttl = ttl;
	}

	/** Renew its session, or create one if it has none. */
	public Session renew() {
		Session renewed = (this.session != null) ? this.session.renewed() : null;
		if (renewed == null || !this.store.renew(renewed, TIMEOUT)) {
			renewed = Session.first(this.id, numbers.incrementAndGet(), this.ttl);
			this.store.create(renewed, TIMEOUT);
		}
		this.session = renewed;
		return renewed;
	}

	/** Take the lease, whoever holds it. */
	public Lease take(String election) {
		Lease lease = read(this.store, election);
		return take((lease != null) ? lease : create(this.store, election, 0, this.ttl));
	}

	/** Take the lease as it was seen. */
	public Lease take(Lease lease) {
		Map<String, Lease> taken = this.store.take(List.of(lease.taken(renew(), lease.term() + 1)), TIMEOUT);
		return taken.get(lease.election());
	}

	public void release(String election) {
		Lease lease = read(this.store, election);
		if (lease != null && lease.isHeldBy(this.id)) {
			this.store.release(List.of(lease.released(null)), TIMEOUT);
		}
	}

	/** Remove a record, whatever its revision, as an operator may in a database. */
	public static void remove(RecordStore store, String id) {
		store.remove(store.read(Set.of(id), TIMEOUT).records().values(), TIMEOUT);
	}

	/** Create a vacant lease. */
	public static Lease create(LeaseStore store, String election, long term, Duration ttl) {
		store.create(List.of(Lease.vacant(election, term, 0, ttl)), TIMEOUT);
		return read(store, election);
	}

	public static Lease read(LeaseStore store, String election) {
		return store.read(Set.of(election), List.of(), TIMEOUT).leases().get(election);
	}

}
