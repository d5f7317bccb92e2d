package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A {@link LeaseStore} that puts a prefix before the name of each election, and keeps its
 * leases in another. Whoever uses it knows the names without the prefix, and sees no
 * other leases.
 */
public final class PrefixedLeaseStore implements LeaseStore {

	private final String prefix;

	private final LeaseStore delegate;

	private PrefixedLeaseStore(String prefix, LeaseStore delegate) {
		this.prefix = prefix;
		this.delegate = delegate;
	}

	/**
	 * Return a store that puts a prefix before each name.
	 * @param prefix the prefix, empty for none
	 * @param delegate where the leases are kept
	 * @return the store
	 */
	public static LeaseStore of(String prefix, LeaseStore delegate) {
		return prefix.isEmpty() ? delegate : new PrefixedLeaseStore(prefix, delegate);
	}

	@Override
	public String leaseId(String election) {
		return this.delegate.leaseId(this.prefix + election);
	}

	@Override
	public String place() {
		return this.delegate.place() + ", with the prefix '" + this.prefix + "'";
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return read(elections, List.of(), timeout);
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		LeaseReading reading = this.delegate.read(
				elections.stream().map((election) -> this.prefix + election).collect(Collectors.toSet()),
				known.stream().map(this::outside).toList(), timeout);
		return new LeaseReading(byName(reading.leases(), this::inside), byName(reading.damaged(), Function.identity()));
	}

	@Override
	public Set<String> create(Collection<Lease> leases, Duration timeout) {
		return this.delegate.create(leases.stream().map(this::outside).toList(), timeout)
			.stream()
			.map(this::strip)
			.collect(Collectors.toSet());
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		List<LeaseTaking> outside = takings.stream()
			.map((taking) -> new LeaseTaking(outside(taking.expected()), outside(taking.taken())))
			.toList();
		return byName(this.delegate.take(outside, timeout), this::inside);
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		return this.delegate.release(releases.stream()
			.map((release) -> new LeaseRelease(outside(release.expected()), release.successor()))
			.toList(), timeout);
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		return this.delegate.ask(outside(expected), request, timeout);
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return this.delegate.pause(this.prefix + election, paused, timeout);
	}

	// A session is that of a process, whatever elections it stands in.

	@Override
	public boolean create(Session session, Duration timeout) {
		return this.delegate.create(session, timeout);
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return this.delegate.renew(renewed, timeout);
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return this.delegate.expire(seen, timeout);
	}

	@Override
	public void close(Session own, Duration timeout) {
		this.delegate.close(own, timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, Duration timeout) {
		return this.delegate.sessions(ids, timeout);
	}

	@Override
	public LeaseWatch watch() {
		LeaseWatch watch = this.delegate.watch();
		return new LeaseWatch() {

			@Override
			public @Nullable LeaseChange next() {
				return inside(watch.next());
			}

			@Override
			public void close() {
				watch.close();
			}

		};
	}

	/** A change of a lease of others is none. */
	private @Nullable LeaseChange inside(@Nullable LeaseChange change) {
		if (change == null) {
			return null;
		}
		String removed = change.removed();
		if (removed != null) {
			return removed.startsWith(this.prefix) ? LeaseChange.removal(strip(removed)) : null;
		}
		Lease lease = change.lease();
		if (lease == null) {
			return change;
		}
		return lease.election().startsWith(this.prefix) ? new LeaseChange(inside(lease)) : null;
	}

	private <T> Map<String, T> byName(Map<String, T> outside, Function<T, T> value) {
		Map<String, T> inside = new HashMap<>();
		outside.forEach((election, each) -> inside.put(strip(election), value.apply(each)));
		return inside;
	}

	private Lease inside(Lease lease) {
		return lease.named(strip(lease.election()));
	}

	private Lease outside(Lease lease) {
		return lease.named(this.prefix + lease.election());
	}

	private String strip(String stored) {
		return stored.substring(this.prefix.length());
	}

	@Override
	public List<String> damaged() {
		return this.delegate.damaged();
	}

}
