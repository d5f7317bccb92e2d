package io.github.leaderelection.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

	private final LeaseStore store;

	private final long seed;

	private final Duration timeout;

	private final Map<String, History> histories = Map.of("one", new History(), "two", new History());

	LeaseStoreFuzz(LeaseStore store, long seed, Duration timeout) {
		this.store = store;
		this.seed = seed;
		this.timeout = timeout;
		this.histories.keySet().forEach((election) -> store.create(election, 0, Duration.ofSeconds(1), timeout));
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
			// What was renewed and then taken at once may have been reported as refused.
			assertThat(lease.revision()).as(where("number of changes")).isGreaterThanOrEqualTo(history.changes.get());
			assertThat(lease.term()).as(where("last term")).isEqualTo(history.highest.get());
		});
	}

	private String where(String what) {
		return "seed=%d: %s".formatted(this.seed, what);
	}

	/** What has been acknowledged for one election. */
	private static final class History {

		private final Map<Long, LeaseClaim> grants = new ConcurrentHashMap<>();

		private final Map<Long, Long> terms = new ConcurrentSkipListMap<>();

		private final Set<LeaseClaim> released = ConcurrentHashMap.newKeySet();

		private final AtomicLong highest = new AtomicLong();

		private final AtomicLong changes = new AtomicLong();

		/** Whether what has been acknowledged so far has already ended the claim. */
		private boolean isOver(LeaseClaim claim) {
			return claim.term() < this.highest.get() || this.released.contains(claim);
		}

	}

	/** One candidate that takes what it can. */
	private final class Thief {

		private final String name;

		private final Random random;

		private final List<LeaseClaim> claims = new ArrayList<>();

		private final Map<String, Lease> remembered = new HashMap<>();

		private int step;

		private Thief(int index) {
			this.name = "thief-" + index;
			this.random = new Random(LeaseStoreFuzz.this.seed + index);
		}

		private void run() {
			for (this.step = 0; this.step < STEPS; this.step++) {
				int choice = this.random.nextInt(10);
				if (this.claims.isEmpty() || choice < 5) {
					take(choice > 0);
				}
				else if (choice < 8) {
					renew();
				}
				else {
					release(this.claims.get(this.random.nextInt(this.claims.size())));
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
			LeaseClaim claim = new LeaseClaim(election, this.name, expected.term() + 1);
			boolean late = claim.term() <= history.highest.get();
			Optional<Lease> taken = LeaseStoreFuzz.this.store.take(expected, claim, Duration.ofSeconds(1),
					LeaseStoreFuzz.this.timeout);
			taken.ifPresent((lease) -> {
				assertThat(late).as(here("taken after a later term was granted: " + lease)).isFalse();
				assertThat(history.grants.put(lease.term(), claim)).as(here("granted twice: " + lease)).isNull();
				assertThat(history.terms.put(lease.revision(), lease.term())).as(here("two at once: " + lease))
					.isNull();
				history.highest.accumulateAndGet(lease.term(), Math::max);
				history.changes.incrementAndGet();
				this.claims.add(claim);
			});
		}

		private void renew() {
			Map<LeaseClaim, Boolean> over = new HashMap<>();
			for (int i = 0; i < 3; i++) {
				LeaseClaim claim = this.claims.get(this.claims.size() - 1 - this.random.nextInt(this.claims.size()));
				over.put(claim, LeaseStoreFuzz.this.histories.get(claim.election()).isOver(claim));
			}
			LeaseRenewal renewal = LeaseStoreFuzz.this.store.renew(over.keySet(), LeaseStoreFuzz.this.timeout);
			assertThat(renewal.renewed().size() + renewal.refused().size()).as(here("answers")).isEqualTo(over.size());
			renewal.renewed().forEach((claim) -> {
				assertThat(over.get(claim)).as(here("renewed after its end: " + claim)).isFalse();
				LeaseStoreFuzz.this.histories.get(claim.election()).changes.incrementAndGet();
			});
		}

		private void release(LeaseClaim claim) {
			History history = LeaseStoreFuzz.this.histories.get(claim.election());
			boolean over = history.isOver(claim);
			if (LeaseStoreFuzz.this.store.release(claim, LeaseStoreFuzz.this.timeout)) {
				assertThat(over).as(here("released after its end: " + claim)).isFalse();
				history.released.add(claim);
				history.changes.incrementAndGet();
			}
		}

		private String here(String what) {
			return where("step=%d %s: %s".formatted(this.step, this.name, what));
		}

	}

}
