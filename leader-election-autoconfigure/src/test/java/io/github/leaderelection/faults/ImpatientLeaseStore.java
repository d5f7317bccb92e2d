package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.HashMap;
import java.util.Map;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;

/**
 * A store that breaks R2: it shows the leases of others with a third of their time to
 * live, so that they are taken while their holders may still believe.
 */
final class ImpatientLeaseStore implements LeaseStore {

	private static final int HASTE = 3;

	private final LeaseStore store;

	ImpatientLeaseStore(LeaseStore store) {
		this.store = store;
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		LeaseReading reading = this.store.read(elections, timeout);
		Map<String, Lease> leases = new HashMap<>(reading.leases());
		leases.replaceAll((election, lease) -> hasten(lease));
		return new LeaseReading(leases, reading.damaged(), reading.readAt());
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return this.store.create(vacant, timeout);
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		return this.store.take(takings, timeout);
	}

	@Override
	public LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		return this.store.renew(claims, timeout);
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		return this.store.release(releases, timeout);
	}

	@Override
	public LeaseWatch watch() {
		LeaseWatch watch = this.store.watch();
		return new LeaseWatch() {

			@Override
			public LeaseChange next() {
				LeaseChange change = watch.next();
				return (change != null && change.lease() != null) ? new LeaseChange(hasten(change.lease())) : change;
			}

			@Override
			public void close() {
				watch.close();
			}

		};
	}

	private static Lease hasten(Lease lease) {
		return new Lease(lease.election(), lease.holder(), lease.term(), lease.revision(), lease.ttl().dividedBy(HASTE),
				lease.electedAt(), lease.renewedAt());
	}

}
