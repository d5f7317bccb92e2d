package io.github.leaderelection.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls by several threads that create, take, release and remove a few leases,
 * also at outdated revisions, with checks that terms still rise.
 */
final class LockStoreFuzz {

	private static final int STEPS = 60;

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final Duration UNUSED = Duration.ofMillis(1);

	private final LeaseStore store;

	private final long seed;

	private final Duration timeout;

	private final Runnable pass;

	private final Map<String, History> histories = Map.of("one", new History(), "two", new History(), "three",
			new History());

	private final AtomicInteger removed = new AtomicInteger();

	/**
	 * Create a fuzz test.
	 * @param pass lets time pass
	 */
	LockStoreFuzz(LeaseStore store, long seed, Duration timeout, Runnable pass) {
		this.store = store;
		this.seed = seed;
		this.timeout = timeout;
		this.pass = pass;
	}

	/** Run the part of one thread. */
	boolean run(int index) {
		new Party(index).run();
		return true;
	}

	/** Check that leases were granted and removed at all. */
	void check() {
		assertThat(this.removed).as("seed=%d: removed", this.seed).hasPositiveValue();
		this.histories
			.forEach((name, history) -> assertThat(history.granted).as("seed=%d: %s", this.seed, name).isNotEmpty());
	}

	/** The acknowledged takings of one name. */
	private static final class History {

		private final Set<Long> granted = ConcurrentHashMap.newKeySet();

		private final AtomicLong highest = new AtomicLong();

	}

	private final class Party {

		private final String name;

		private final Session session;

		private final Random random;

		private final Map<String, Lease> remembered = new HashMap<>();

		private Party(int index) {
			this.name = "party-" + index;
			this.session = Session.first(this.name, 1, TTL);
			this.random = new Random(LockStoreFuzz.this.seed + index);
		}

		private void run() {
			List<String> names = List.copyOf(LockStoreFuzz.this.histories.keySet());
			for (int step = 0; step < STEPS; step++) {
				String lock = names.get(this.random.nextInt(names.size()));
				switch (this.random.nextInt(8)) {
					case 0 -> LockStoreFuzz.this.store.create(List.of(Lease.vacant(lock, 0, 0, TTL)),
							LockStoreFuzz.this.timeout);
					case 1, 2 -> remove();
					case 3 -> take(this.remembered.get(lock));
					default -> use(lock);
				}
			}
		}

		private void remove() {
			LockStoreFuzz.this.pass.run();
			LockStoreFuzz.this.removed
				.addAndGet(LockStoreFuzz.this.store.removeUnused(UNUSED, 2, LockStoreFuzz.this.timeout));
		}

		/** Take the lease, even if it is held, and give it back. */
		private void use(String lock) {
			Lease seen = LockStoreFuzz.this.store.read(Set.of(lock), List.of(), LockStoreFuzz.this.timeout)
				.leases()
				.get(lock);
			if (seen == null) {
				LockStoreFuzz.this.store.create(List.of(Lease.vacant(lock, 0, 0, TTL)), LockStoreFuzz.this.timeout);
				return;
			}
			this.remembered.put(lock, seen);
			Lease taken = take(seen);
			if (taken != null) {
				LockStoreFuzz.this.store.release(List.of(taken.released(null)), LockStoreFuzz.this.timeout);
			}
		}

		private Lease take(Lease expected) {
			if (expected == null) {
				return null;
			}
			History history = LockStoreFuzz.this.histories.get(expected.election());
			Lease claim = expected.taken(this.session, expected.term() + 1);
			long before = history.highest.get();
			Lease taken = LockStoreFuzz.this.store.take(List.of(claim), LockStoreFuzz.this.timeout)
				.get(expected.election());
			if (taken != null) {
				assertThat(history.granted.add(taken.term())).as(here("granted twice: " + taken)).isTrue();
				assertThat(taken.term()).as(here("granted after a later one: " + taken)).isGreaterThan(before);
				history.highest.accumulateAndGet(taken.term(), Math::max);
			}
			return taken;
		}

		private String here(String what) {
			return "seed=%d %s: %s".formatted(LockStoreFuzz.this.seed, this.name, what);
		}

	}

}
