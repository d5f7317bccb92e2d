package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseWatch;

/**
 * A store of one election that remembers what it has shown, and can be given a flaw.
 */
final class SimulatedStore implements LeaseStore {

	private final InMemoryLeaseStore store = new InMemoryLeaseStore();

	private final List<Lease> history = new ArrayList<>();

	private final Map<String, BooleanSupplier> work = new HashMap<>();

	private final Flaw flaw;

	private boolean releasedUnderWork;

	SimulatedStore(Flaw flaw) {
		this.flaw = flaw;
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return this.store.read(elections, timeout);
	}

	@Override
	public boolean create(String election, long term, Duration ttl, Duration timeout) {
		return this.store.create(election, term, ttl, timeout);
	}

	@Override
	public Optional<Lease> take(Lease expected, LeaseClaim claim, Duration ttl, Duration timeout) {
		Lease replaced = expected;
		LeaseClaim granted = claim;
		if (this.flaw == Flaw.TAKES_WHATEVER_IS_THERE) {
			replaced = current(claim.election());
			granted = new LeaseClaim(claim.election(), claim.holder(), Math.max(claim.term(), replaced.term() + 1));
		}
		if (this.flaw == Flaw.GRANTS_THE_SAME_TERM_AGAIN && current(claim.election()).isVacant()) {
			this.store.remove(claim.election());
			replaced = new Lease(claim.election(), null, 0, 0, ttl, null, null);
			granted = new LeaseClaim(claim.election(), claim.holder(), 1);
			this.store.create(claim.election(), 0, ttl, timeout);
		}
		return remember(this.store.take(replaced, granted, ttl, timeout));
	}

	@Override
	public LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		if (this.flaw == Flaw.ACKNOWLEDGES_RENEWALS_WITHOUT_WRITING) {
			return new LeaseRenewal(Set.copyOf(claims), Set.of());
		}
		LeaseRenewal renewal = this.store.renew(claims, timeout);
		claims.forEach((claim) -> remember(Optional.of(current(claim.election()))));
		return renewal;
	}

	@Override
	public boolean release(LeaseClaim claim, Duration timeout) {
		Lease lease = current(claim.election());
		LeaseClaim released = claim;
		if (this.flaw == Flaw.RELEASES_WHOEVER_HOLDS && lease.holder() != null) {
			released = new LeaseClaim(claim.election(), lease.holder(), lease.term());
		}
		boolean done = this.store.release(released, timeout);
		this.releasedUnderWork |= done && this.work.get(claim.holder()).getAsBoolean();
		remember(Optional.of(current(claim.election())));
		return done;
	}

	@Override
	public LeaseWatch watch() {
		throw new UnsupportedOperationException("the simulation pushes by itself");
	}

	/** Let the store know whether work of this process is in flight. */
	void watchWork(String holder, BooleanSupplier inFlight) {
		this.work.put(holder, inFlight);
	}

	boolean releasedUnderWork() {
		return this.releasedUnderWork;
	}

	/** Return the last change, or sometimes one from before, as a push that is late. */
	Optional<Lease> push(Random random) {
		int known = this.history.size();
		int age = random.nextBoolean() ? 0 : random.nextInt(10);
		return (known > age) ? Optional.of(this.history.get(known - 1 - age)) : Optional.empty();
	}

	private Lease current(String election) {
		return this.store.read(List.of(election), Duration.ofSeconds(1)).leases().get(election);
	}

	private Optional<Lease> remember(Optional<Lease> lease) {
		lease.ifPresent(this.history::add);
		return lease;
	}

	enum Flaw {

		NONE, TAKES_WHATEVER_IS_THERE, GRANTS_THE_SAME_TERM_AGAIN, ACKNOWLEDGES_RENEWALS_WITHOUT_WRITING,
		RELEASES_WHOEVER_HOLDS

	}

}
