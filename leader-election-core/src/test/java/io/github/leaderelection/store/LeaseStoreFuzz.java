package io.github.leaderelection.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls by several threads that pay no heed to anybody's time to live, and what
 * must be true of their outcomes even so.
 */
final class LeaseStoreFuzz {

	private static final int STEPS = 40;

	private static final Duration TTL = Duration.ofSeconds(1);

	private final LeaseStore store;

	private final long seed;

	private final Duration timeout;

	private final Map<String, History> histories = Map.of("one", new History(), "two", new History());

	LeaseStoreFuzz(LeaseStore store, long seed, Duration timeout) {
		this.store = store;
		this.seed = seed;
		this.timeout = timeout;
		store.create(this.histories.keySet().stream().map((election) -> Lease.vacant(election, 0, 0, TTL)).toList(),
				timeout);
		store.read(this.histories.keySet(), timeout)
			.leases()
			.forEach((election, lease) -> this.histories.get(election).first = lease.revision());
	}

	/** Run the part of one thread. */
	boolean run(int index) {
		new Thief(index).run();
		return true;
	}

	/** Check what is left when all have run. */
	void check() {
		LeaseReading reading = this.store.read(this.histories.keySet(), this.timeout);
		this.histories.forEach((election, history) -> {
			Lease lease = reading.leases().get(election);
			assertThat(List.copyOf(history.terms.values())).as(where("terms by revision"))
				.isSorted()
				.doesNotHaveDuplicates();
			assertThat(history.terms).as(where("grants")).hasSameSizeAs(history.grants);
			assertThat(lease.revision() - history.first).as(where("number of changes"))
				.isEqualTo(history.changes.get());
			assertThat(lease.term()).as(where("last term")).isEqualTo(history.highest.get());
		});
	}

	private String where(String what) {
		return "seed=%d: %s".formatted(this.seed, what);
	}

	/** What has been acknowledged for one election. */
	private static final class History {

		private final Map<Long, Lease> grants = new ConcurrentHashMap<>();

		private final Map<Long, Long> terms = new ConcurrentSkipListMap<>();

		private final Set<Lease> released = ConcurrentHashMap.newKeySet();

		private final AtomicLong highest = new AtomicLong();

		private final AtomicLong changes = new AtomicLong();

		private volatile long first;

		/** Whether what has been acknowledged so far has already ended the term. */
		private boolean isOver(Lease taken) {
			return taken.term() < this.highest.get() || this.released.contains(taken);
		}

	}

	/** One candidate that takes what it can. */
	private final class Thief {

		private final String name;

		private final Session session;

		private final Random random;

		private final List<Lease> taken = new ArrayList<>();

		private final Map<String, Lease> remembered = new HashMap<>();

		private int step;

		private Thief(int index) {
			this.name = "thief-" + index;
			this.session = Session.first(this.name, index + 1, TTL);
			this.random = new Random(LeaseStoreFuzz.this.seed + index);
		}

		private void run() {
			for (this.step = 0; this.step < STEPS; this.step++) {
				int choice = this.random.nextInt(10);
				if (this.taken.isEmpty() || choice < 6) {
					take(choice > 0);
				}
				else {
					release(this.taken.get(this.random.nextInt(this.taken.size())));
				}
			}
		}

		private void take(boolean fresh) {
			String election = this.random.nextBoolean() ? "one" : "two";
			History history = LeaseStoreFuzz.this.histories.get(election);
			if (fresh || !this.remembered.containsKey(election)) {
				this.remembered.put(election,
						LeaseStoreFuzz.this.store.read(Set.of(election), LeaseStoreFuzz.this.timeout)
							.leases()
							.get(election));
			}
			Lease expected = this.remembered.get(election);
			LeaseTaking taking = LeaseTaking.of(expected, this.session, expected.term() + 1);
			boolean late = taking.taken().term() <= history.highest.get();
			Lease lease = LeaseStoreFuzz.this.store.take(List.of(taking), LeaseStoreFuzz.this.timeout).get(election);
			if (lease != null) {
				assertThat(late).as(here("taken after a later term was granted: " + lease)).isFalse();
				assertThat(history.grants.put(lease.term(), lease)).as(here("granted twice: " + lease)).isNull();
				assertThat(history.terms.put(lease.revision(), lease.term())).as(here("two at once: " + lease))
					.isNull();
				history.highest.accumulateAndGet(lease.term(), Math::max);
				history.changes.incrementAndGet();
				this.taken.add(lease);
			}
		}

		private void release(Lease lease) {
			History history = LeaseStoreFuzz.this.histories.get(lease.election());
			boolean over = history.isOver(lease);
			List<LeaseRelease> release = List.of(new LeaseRelease(lease, null));
			if (LeaseStoreFuzz.this.store.release(release, LeaseStoreFuzz.this.timeout).contains(lease.election())) {
				assertThat(over).as(here("released after its end: " + lease)).isFalse();
				history.released.add(lease);
				history.changes.incrementAndGet();
			}
		}

		private String here(String what) {
			return where("step=%d %s: %s".formatted(this.step, this.name, what));
		}

	}

}
