package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStore.LeaseReading;
import io.github.leaderelection.store.LeaseStore.SessionReading;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Records all calls, and lets them fail as a test wants.
 */
final class FaultyLeaseStore extends InterceptedLeaseStore {

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private volatile Fault fault = Fault.NONE;

	private volatile Map<String, String> damage = Map.of();

	private volatile String neverTaken = "";

	private volatile Interceptor before = (method, what, timeout) -> {
	};

	private volatile CountDownLatch hanging = new CountDownLatch(0);

	private volatile boolean behind;

	private volatile boolean watchable;

	private volatile boolean watchHanging;

	FaultyLeaseStore(LeaseStore store) {
		super(store, (method, what, timeout) -> {
		});
	}

	FaultyLeaseStore() {
		this(LeaseStore.forElections(new InMemoryRecordStores(), ""));
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		LeaseReading reading = super.read(elections, known, timeout);
		Map<String, String> damaged = new HashMap<>(reading.damaged());
		damaged.putAll(this.damage);
		return new LeaseReading(reading.leases(), damaged);
	}

	@Override
	public Map<String, Lease> take(Collection<Lease> claims, Duration timeout) {
		if (claims.stream().noneMatch((each) -> each.election().equals(this.neverTaken))) {
			return super.take(claims, timeout);
		}
		called("take", claims, timeout);
		this.store.take(claims.stream().filter((each) -> !each.election().equals(this.neverTaken)).toList(), timeout);
		// As a server that reports only how many have matched.
		return Map.of();
	}

	@Override
	public SessionReading sessions(Collection<String> ids, boolean others, Duration timeout) {
		SessionReading reading = super.sessions(ids, others, timeout);
		return this.behind ? new SessionReading(Map.of(), reading.readAt()) : reading;
	}

	@Override
	public RecordWatch watch() {
		if (!this.watchable) {
			throw new UnsupportedOperationException("the test does not want it");
		}
		RecordWatch watch = super.watch();
		return new RecordWatch() {

			@Override
			public @Nullable RecordChange next() {
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

	@Override
	protected void called(String method, Object what, Duration timeout) {
		this.calls.add(switch (method) {
			case "sessions" -> "watch";
			case "renew", "close" -> method;
			default -> method + " " + name(what);
		});
		this.before.called(method, what, timeout);
		switch (this.fault) {
			case NONE -> {
			}
			case BEFORE -> throw new LeaseStoreException("no answer, as the test wants", null);
			case HANG -> {
				awaitEndOfHang();
				throw new LeaseStoreException("the call timed out, as the test wants", null);
			}
		}
	}

	/** Name a lease by its election, and several by how many they are. */
	private static Object name(Object what) {
		if (what instanceof Collection<?> all) {
			return (all.size() == 1 && all.iterator().next() instanceof Lease lease) ? lease.election() : all.size();
		}
		return (what instanceof Session session) ? session.id()
				: (what instanceof Lease lease) ? lease.election() : what;
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

	/** Run something before each call; it may throw in place of the call. */
	void before(Interceptor happening) {
		this.before = happening;
	}

	/** Let calls hang until healed, whatever their timeout. */
	void hang() {
		this.hanging = new CountDownLatch(1);
		this.fault = Fault.HANG;
	}

	/** Keep hanging calls hanging, but let new ones through. */
	void hangNoMore() {
		this.fault = Fault.NONE;
	}

	void heal() {
		this.fault = Fault.NONE;
		this.before = (method, what, timeout) -> {
		};
		this.hanging.countDown();
	}

	/** Show these elections as damaged. */
	void damage(Map<String, String> damaged) {
		this.damage = damaged;
	}

	/** Never take this lease, so that all takings in the same call are in doubt. */
	void neverTake(String election) {
		this.neverTaken = election;
	}

	/** Show no sessions, like a server that is behind, or show them as they are. */
	void beBehind(boolean behind) {
		this.behind = behind;
	}

	boolean isWatchHanging() {
		return this.watchHanging;
	}

	void makeWatchable() {
		this.watchable = true;
	}

	/** Return the calls since the last time this was called. */
	List<String> takeCalls() {
		List<String> taken = List.copyOf(this.calls);
		this.calls.clear();
		return taken;
	}

	private enum Fault {

		NONE, BEFORE, HANG

	}

}
