package io.github.leaderelection.test;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory with a rival: another candidate, which takes every vacant lease
 * unless it is told to leave it, and never gives one up by itself. The lock of this
 * object makes changes of the rival and of the engine exclude each other.
 */
final class ContestedLeaseStore extends LeaseStore {

	/** The candidate id of the rival. */
	static final String RIVAL = "another-instance";

	private static final Duration RIVAL_TTL = Duration.ofDays(365);

	private static final Duration NO_TIME = Duration.ofMillis(1);

	private final Set<String> left = new HashSet<>();

	/**
	 * The ids of sessions that can't be renewed, by the election whose term is to expire.
	 */
	private final Map<String, String> cutOff = new HashMap<>();

	private Session rival = Session.first(RIVAL, 1, RIVAL_TTL);

	ContestedLeaseStore() {
		super(new InMemoryRecordStores(), "");
		create(this.rival, NO_TIME);
	}

	/** Let the rival take the lease, whoever holds it. */
	synchronized void seize(String election) {
		this.left.remove(election);
		this.cutOff.remove(election);
		create(List.of(Lease.vacant(election, 0, 0, RIVAL_TTL)), NO_TIME);
		Lease lease = find(election);
		if (lease != null && !lease.isHeldBy(RIVAL)) {
			super.take(List.of(lease.taken(this.rival, lease.term() + 1)), NO_TIME);
		}
	}

	/** Let the rival give up the lease and leave it to the engine. */
	synchronized void leave(String election) {
		this.left.add(election);
		Lease lease = find(election);
		if (lease != null && lease.isHeldBy(RIVAL)) {
			super.release(List.of(lease.released(null)), NO_TIME);
		}
	}

	/**
	 * Stop leaving the lease to the engine, which leads now. If it led before the rival
	 * left the lease, it has not called {@link #take}, which would do this.
	 */
	synchronized void taken(String election) {
		this.left.remove(election);
	}

	/** Refuse to renew the session in the lease, until the rival takes the lease. */
	synchronized void cutOff(String election) {
		Lease lease = find(election);
		String session = (lease != null) ? lease.sessionId() : null;
		if (session != null) {
			this.cutOff.put(election, session);
		}
	}

	private @Nullable Lease find(String election) {
		return super.read(Set.of(election), List.of(), NO_TIME).leases().get(election);
	}

	private void seizeUnlessLeft(String election) {
		if (!this.left.contains(election)) {
			seize(election);
		}
	}

	@Override
	public synchronized LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		for (String election : elections) {
			if (find(election) == null) {
				seizeUnlessLeft(election);
			}
		}
		return super.read(elections, known, timeout);
	}

	@Override
	public synchronized Map<String, Lease> take(Collection<Lease> claims, Duration timeout) {
		Map<String, Lease> taken = super.take(claims, timeout);
		this.left.removeAll(taken.keySet());
		return taken;
	}

	@Override
	public synchronized Set<String> release(Collection<Lease> released, Duration timeout) {
		Set<String> done = super.release(released, timeout);
		released.forEach((lease) -> seizeUnlessLeft(lease.election()));
		return done;
	}

	@Override
	public synchronized boolean renew(Session renewed, Duration timeout) {
		if (this.cutOff.containsValue(renewed.id())) {
			throw new LeaseStoreException("A test prevents this session from being renewed", null);
		}
		return super.renew(renewed, timeout);
	}

	/** Renew the rival's session, so that it is alive however far time has moved. */
	@Override
	public synchronized SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		this.rival = this.rival.renewed();
		super.renew(this.rival, timeout);
		return super.sessions(ids, others, timeout);
	}

}
