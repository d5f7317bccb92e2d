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
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseTaking;

/**
 * What a replica set does with leases, without the network. A write takes effect on the
 * primary at once, is answered when a majority has it, and is taken back if the primary
 * is replaced before. Reads and watches show what a majority has, reads of a primary that
 * does not know it was replaced show what a majority had.
 */
final class SimulatedMongo {

	private static final int REMEMBERED = 20;

	private final Map<String, Lease> onPrimary = new HashMap<>();

	private final Deque<Write> uncommitted = new ArrayDeque<>();

	private final List<Map<String, Lease>> committed = new ArrayList<>(List.of(Map.of()));

	private final Set<Consumer<Lease>> watches = new LinkedHashSet<>();

	private final Flaw flaw;

	private BiConsumer<Lease, LeaseClaim> onRelease = (lease, claim) -> {
	};

	private final Timeline timeline;

	private final boolean tellsTime;

	private final boolean pushesRenewals;

	/** By how much the clock of the servers is wrong. */
	private Duration clockError = Duration.ZERO;

	private int staleness;

	/**
	 * Create a replica set without leases.
	 * @param tellsTime whether reads tell when they were made
	 * @param pushesRenewals whether watches show renewals, too
	 */
	SimulatedMongo(Timeline timeline, Flaw flaw, boolean tellsTime, boolean pushesRenewals) {
		this.timeline = timeline;
		this.flaw = flaw;
		this.tellsTime = tellsTime;
		this.pushesRenewals = pushesRenewals;
	}

	/** Be told of each release as it takes effect: the lease before, and the claim. */
	void onRelease(BiConsumer<Lease, LeaseClaim> observer) {
		this.onRelease = observer;
	}

	/** Let reads show what a majority had before its last changes. */
	void setStaleness(int changes) {
		this.staleness = changes;
	}

	/** Set the clock that dates leases. */
	void setClockError(Duration error) {
		this.clockError = error;
	}

	private Instant clock() {
		return Instant.ofEpochMilli(this.timeline.now() / 1_000_000).plus(this.clockError);
	}

	// What clients ask for

	LeaseReading read(Collection<String> elections) {
		Map<String, Lease> snapshot = this.committed.get(Math.max(0, this.committed.size() - 1 - this.staleness));
		Map<String, Lease> found = new HashMap<>();
		elections.stream().filter(snapshot::containsKey).forEach((each) -> found.put(each, snapshot.get(each)));
		return new LeaseReading(found, Map.of(), this.tellsTime ? clock() : null);
	}

	Set<String> create(Collection<Lease> vacant) {
		Set<String> created = new LinkedHashSet<>();
		for (Lease lease : vacant) {
			if (!this.onPrimary.containsKey(lease.election())) {
				write(lease);
				created.add(lease.election());
			}
		}
		return created;
	}

	/** Of several takings the answer tells only how many were made. */
	Map<String, Lease> take(Collection<LeaseTaking> takings) {
		Map<String, Lease> taken = new HashMap<>();
		for (LeaseTaking each : takings) {
			Lease lease = take(each.expected(), each.claim(), each.ttl());
			if (lease != null) {
				taken.put(lease.election(), lease);
			}
		}
		return (taken.size() == takings.size()) ? taken : Map.of();
	}

	private Lease take(Lease expected, LeaseClaim claim, Duration ttl) {
		Lease stored = this.onPrimary.get(claim.election());
		if (stored == null || stored.term() != expected.term()) {
			return null;
		}
		if (stored.revision() != expected.revision() && this.flaw != Flaw.TAKES_WITHOUT_REVISION) {
			return null;
		}
		return write(new Lease(claim.election(), claim.holder(), claim.term(), stored.revision() + 1, ttl, clock(),
				clock()));
	}

	LeaseRenewal renew(Collection<LeaseClaim> claims) {
		Set<LeaseClaim> renewed = new LinkedHashSet<>();
		Set<LeaseClaim> refused = new LinkedHashSet<>();
		for (LeaseClaim claim : claims) {
			Lease stored = this.onPrimary.get(claim.election());
			if (isClaimed(stored, claim)) {
				change(stored, stored.holder(), null);
				renewed.add(claim);
			}
			else {
				refused.add(claim);
			}
		}
		return new LeaseRenewal(renewed, refused);
	}

	int release(Collection<LeaseRelease> releases) {
		return (int) releases.stream().filter((each) -> release(each.claim(), each.successor())).count();
	}

	private boolean release(LeaseClaim claim, String successor) {
		Lease stored = this.onPrimary.get(claim.election());
		if (!isClaimed(stored, claim) && (this.flaw != Flaw.RELEASES_BY_ID_ALONE || stored == null)) {
			return false;
		}
		this.onRelease.accept(stored, claim);
		change(stored, null, successor);
		return true;
	}

	private static boolean isClaimed(Lease stored, LeaseClaim claim) {
		return stored != null && stored.isHeldBy(claim.holder()) && stored.term() == claim.term();
	}

	private void change(Lease lease, String holder, String successor) {
		write(new Lease(lease.election(), holder, lease.term(), lease.revision() + 1, lease.ttl(), lease.electedAt(),
				clock(), successor));
	}

	private Lease write(Lease lease) {
		this.onPrimary.put(lease.election(), lease);
		this.uncommitted.add(new Write(lease, null));
		return lease;
	}

	/** Answer when everything so far is durable; never, if it is taken back. */
	void whenDurable(Runnable answer) {
		if (this.uncommitted.isEmpty() || this.flaw == Flaw.ACKNOWLEDGES_BEFORE_MAJORITY) {
			answer.run();
		}
		else {
			this.uncommitted.add(new Write(null, answer));
		}
	}

	void watch(Consumer<Lease> watch) {
		this.watches.add(watch);
	}

	void unwatch(Consumer<Lease> watch) {
		this.watches.remove(watch);
	}

	// What the servers do

	/** A majority has got all writes. */
	void commit() {
		List<Write> writes = List.copyOf(this.uncommitted);
		this.uncommitted.clear();
		commit(writes);
		writes.stream().map(Write::answer).filter(Objects::nonNull).forEach(Runnable::run);
	}

	/**
	 * The primary is replaced by one that has the first few of the writes that no
	 * majority has. Nobody who waits for a write is answered.
	 */
	void failOver(int kept) {
		commit(this.uncommitted.stream().limit(kept).toList());
		this.uncommitted.clear();
		this.onPrimary.clear();
		this.onPrimary.putAll(this.committed.get(this.committed.size() - 1));
	}

	int uncommitted() {
		return this.uncommitted.size();
	}

	private void commit(List<Write> writes) {
		List<Lease> leases = writes.stream().map(Write::lease).filter(Objects::nonNull).toList();
		Map<String, Lease> snapshot = new HashMap<>(this.committed.get(this.committed.size() - 1));
		List<Lease> shown = new ArrayList<>();
		for (Lease lease : leases) {
			Lease before = snapshot.put(lease.election(), lease);
			if (this.pushesRenewals || !isRenewal(before, lease)) {
				shown.add(lease);
			}
		}
		this.committed.add(snapshot);
		if (this.committed.size() > REMEMBERED) {
			this.committed.remove(0);
		}
		shown.forEach((lease) -> List.copyOf(this.watches).forEach((watch) -> watch.accept(lease)));
	}

	private static boolean isRenewal(Lease before, Lease after) {
		return before != null && before.term() == after.term() && Objects.equals(before.holder(), after.holder());
	}

	/** Return the lease as a majority has it, {@code null} if there is none. */
	Lease lease(String election) {
		return this.committed.get(this.committed.size() - 1).get(election);
	}

	private record Write(Lease lease, Runnable answer) {

	}

}
