package io.github.leaderelection.test;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory with a rival in it, who takes every lease that is vacant unless it
 * has been told to leave it, and never lets go by itself. Its own lock makes the rival's
 * changes and those of the engine exclude each other.
 */
final class ContestedLeaseStore implements LeaseStore {

	/** The candidate id of the rival. */
	static final String RIVAL = "another-instance";

	/** The rival is alive: however far a test moves time, it has renewed its leases. */
	private static final Duration RIVAL_TTL = Duration.ofDays(3650);

	private static final Duration NO_TIME = Duration.ofMillis(1);

	private final InMemoryLeaseStore leases = new InMemoryLeaseStore();

	private final Set<String> left = new HashSet<>();

	private final Set<String> cutOff = new HashSet<>();

	/** Let the rival take the lease, whoever holds it. */
	synchronized void seize(String election) {
		this.left.remove(election);
		this.cutOff.remove(election);
		this.leases.create(election, 0, RIVAL_TTL, NO_TIME);
		Lease lease = find(election);
		if (lease != null && !lease.isHeldBy(RIVAL)) {
			this.leases.take(lease, new LeaseClaim(election, RIVAL, lease.term() + 1), RIVAL_TTL, NO_TIME);
		}
	}

	/** Let the rival give up the lease and leave it to the engine. */
	synchronized void leave(String election) {
		this.left.add(election);
		Lease lease = find(election);
		if (lease != null && lease.isHeldBy(RIVAL)) {
			this.leases.release(new LeaseClaim(election, RIVAL, lease.term()), NO_TIME);
		}
	}

	/** Let renewals of the lease fail, until the rival takes it. */
	synchronized void cutOff(String election) {
		this.cutOff.add(election);
	}

	private @Nullable Lease find(String election) {
		return this.leases.read(Set.of(election), NO_TIME).leases().get(election);
	}

	private void seizeUnlessLeft(String election) {
		if (!this.left.contains(election)) {
			seize(election);
		}
	}

	@Override
	public synchronized LeaseReading read(Collection<String> elections, Duration timeout) {
		for (String election : elections) {
			if (find(election) == null) {
				seizeUnlessLeft(election);
			}
		}
		return this.leases.read(elections, timeout);
	}

	@Override
	public synchronized Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return this.leases.create(vacant, timeout);
	}

	@Override
	public synchronized Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		Map<String, Lease> taken = this.leases.take(takings, timeout);
		this.left.removeAll(taken.keySet());
		return taken;
	}

	@Override
	public synchronized LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		return this.leases.renew(claims.stream().filter((claim) -> !this.cutOff.contains(claim.election())).toList(),
				timeout);
	}

	@Override
	public synchronized int release(Collection<LeaseRelease> releases, Duration timeout) {
		int released = this.leases.release(releases, timeout);
		releases.forEach((release) -> seizeUnlessLeft(release.claim().election()));
		return released;
	}

	@Override
	public LeaseWatch watch() {
		return this.leases.watch();
	}

}
