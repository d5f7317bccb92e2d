package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import org.jspecify.annotations.Nullable;

/**
 * Remembers all calls, and fails them in the way a test wants.
 */
final class FaultyLeaseStore implements LeaseStore {

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final LeaseStore store;

	private volatile Fault fault = Fault.NONE;

	private volatile Map<String, String> damage = Map.of();

	private volatile String neverTaken = "";

	private volatile CountDownLatch hanging = new CountDownLatch(0);

	private volatile boolean behind;

	private volatile boolean watchable;

	private volatile boolean watchHanging;

	FaultyLeaseStore(LeaseStore store) {
		this.store = store;
	}

	FaultyLeaseStore() {
		this(RecordLeaseStore.forElections(new InMemoryRecordStores(), ""));
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		LeaseReading reading = call("read", elections.size(), () -> this.store.read(elections, timeout));
		Map<String, String> damaged = new HashMap<>(reading.damaged());
		damaged.putAll(this.damage);
		return new LeaseReading(reading.leases(), damaged);
	}

	@Override
	public Set<String> create(Collection<Lease> vacant, Duration timeout) {
		return call("create", names(vacant.stream().map(Lease::election)), () -> this.store.create(vacant, timeout));
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		List<LeaseTaking> matching = takings.stream()
			.filter((each) -> !each.expected().election().equals(this.neverTaken))
			.toList();
		return call("take", names(takings.stream().map((each) -> each.expected().election())), () -> {
			Map<String, Lease> taken = this.store.take(matching, timeout);
			// As of a server that tells just how many have matched.
			return (matching.size() == takings.size()) ? taken : Map.of();
		});
	}

	@Override
	public Set<String> release(Collection<LeaseRelease> releases, Duration timeout) {
		return call("release", names(releases.stream().map((each) -> each.expected().election())),
				() -> this.store.release(releases, timeout));
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return call("pause", election, () -> this.store.pause(election, paused, timeout));
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		return call("ask", expected.election(), () -> this.store.ask(expected, request, timeout));
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return call("create", session.id(), () -> this.store.create(session, timeout));
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return call("renew", "", () -> this.store.renew(renewed, timeout));
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return call("expire", seen.id(), () -> this.store.expire(seen, timeout));
	}

	@Override
	public void close(Session own, Duration timeout) {
		call("close", "", () -> {
			this.store.close(own, timeout);
			return true;
		});
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		SessionReading reading = call("watch", "", () -> this.store.sessions(ids, others, timeout));
		return this.behind ? new SessionReading(Map.of(), reading.readAt()) : reading;
	}

	@Override
	public LeaseWatch watch() {
		if (!this.watchable) {
			throw new UnsupportedOperationException("the test does not want it");
		}
		LeaseWatch watch = call("open", "", this.store::watch);
		return new LeaseWatch() {

			@Override
			public @Nullable LeaseChange next() {
				if (FaultyLeaseStore.this.fault == Fault.HANG) {
					FaultyLeaseStore.this.watchHanging = true;
					awaitEndOfHang();
				}
				return watch.next();
			}

			@Override
			public void close() {
				watch.close();
			}

		};
	}

	/** One by its name, several by their number. */
	private static Object names(Stream<String> elections) {
		List<String> names = elections.toList();
		return (names.size() == 1) ? names.get(0) : names.size();
	}

	private <T> T call(String name, Object what, Supplier<T> operation) {
		this.calls.add((name + " " + what).trim());
		return switch (this.fault) {
			case NONE -> operation.get();
			case BEFORE -> throw new LeaseStoreException("no answer, as the test wants", null);
			case HANG -> {
				awaitEndOfHang();
				throw new LeaseStoreException("the call timed out, as the test wants", null);
			}
		};
	}

	private void awaitEndOfHang() {
		try {
			this.hanging.await();
		}
		catch (InterruptedException ex) {
			throw new LeaseStoreException("interrupted", ex);
		}
	}

	/** Let calls fail before they have done anything. */
	void failBefore() {
		this.fault = Fault.BEFORE;
	}

	/** Let calls hang until healed, whatever their timeout. */
	void hang() {
		this.hanging = new CountDownLatch(1);
		this.fault = Fault.HANG;
	}

	/** Let calls that hang hang on, and no others. */
	void hangNoMore() {
		this.fault = Fault.NONE;
	}

	void heal() {
		this.fault = Fault.NONE;
		this.hanging.countDown();
	}

	/** Show these elections as damaged. */
	void damage(Map<String, String> damaged) {
		this.damage = damaged;
	}

	/** Let this election never match, so that all that are taken with it are in doubt. */
	void neverTake(String election) {
		this.neverTaken = election;
	}

	/** Show sessions as they were before there were any, or as they are. */
	void beBehind(boolean behind) {
		this.behind = behind;
	}

	boolean isWatchHanging() {
		return this.watchHanging;
	}

	void makeWatchable() {
		this.watchable = true;
	}

	/** Return the calls since last asked. */
	List<String> takeCalls() {
		List<String> taken = List.copyOf(this.calls);
		this.calls.clear();
		return taken;
	}

	private enum Fault {

		NONE, BEFORE, HANG

	}

}
