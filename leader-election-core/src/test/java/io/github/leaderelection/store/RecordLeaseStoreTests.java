package io.github.leaderelection.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RecordLeaseStore}.
 */
class RecordLeaseStoreTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryRecordStores stores = new InMemoryRecordStores(this.now::get);

	private final LeaseStore shared = RecordLeaseStore.forElections(this.stores, "");

	private final LeaseStore elections = RecordLeaseStore.forElections(this.stores, "shop.");

	private final LeaseStore locks = new RecordLeaseStore(this.stores, "shop.", true, this.now::get,
			() -> ThreadLocalRandom.current().nextLong(1, 1L << 40));

	@Nested
	class Elections extends LeaseStoreContractTests {

		@Override
		protected LeaseStore store() {
			return RecordLeaseStoreTests.this.elections;
		}

		@Override
		protected void vanish(String id) {
			RecordLeaseStoreTests.this.stores.store(RecordLeaseStore.LEASES).drop("shop." + id);
		}

		@Test
		void leasesAreKeptUnderThePrefixedName() {
			elect(ELECTION, "a", 1);
			assertThat(store().leaseId(ELECTION)).isEqualTo("shop." + ELECTION);
			assertThat(RecordLeaseStoreTests.this.shared.read(List.of("shop." + ELECTION, ELECTION), TIMEOUT).leases())
				.containsOnlyKeys("shop." + ELECTION);
		}

		@Test
		void otherPrefixIsAnotherElection() {
			LeaseStore other = RecordLeaseStore.forElections(RecordLeaseStoreTests.this.stores, "bank.");
			Lease held = elect(ELECTION, "a", 1);
			other.create(List.of(Lease.vacant(ELECTION, 40, 0, TTL)), TIMEOUT);
			Lease seen = other.read(List.of(ELECTION), TIMEOUT).leases().get(ELECTION);
			assertThat(seen.isVacant()).isTrue();
			Map<String, Lease> taken = other.take(List.of(taking(seen, "b", 41)), TIMEOUT);
			assertThat(taken.get(ELECTION).term()).isEqualTo(41);
			assertThat(read(ELECTION).isHeldBy("a")).isTrue();
			assertThat(other.release(List.of(new LeaseRelease(held, null)), TIMEOUT)).isEmpty();
		}

		@Test
		void changesOfOthersAreNotShown() {
			try (LeaseWatch watch = store().watch()) {
				RecordLeaseStoreTests.this.shared.create(List.of(Lease.vacant("bank.x", 7, 0, TTL)), TIMEOUT);
				RecordLeaseStoreTests.this.shared.create(List.of(Lease.vacant("shop.x", 8, 0, TTL)), TIMEOUT);
				LeaseChange change = watch.next();
				while (change == null) {
					change = watch.next();
				}
				assertThat(change.lease()).isNotNull();
				assertThat(change.lease().election()).isEqualTo("x");
				assertThat(change.lease().term()).isEqualTo(8);
			}
		}

	}

	@Nested
	class Locks extends LockStoreContractTests {

		@Override
		protected LeaseStore store() {
			return RecordLeaseStoreTests.this.locks;
		}

		@Override
		protected void pass() {
			RecordLeaseStoreTests.this.now.updateAndGet((now) -> now.plusSeconds(1));
		}

		@Override
		protected void vanish(String id) {
			RecordLeaseStoreTests.this.stores.store(RecordLeaseStore.LOCKS).drop("shop." + id);
		}

		@Test
		void datesComeFromTheClock() {
			Instant elected = Instant.parse("2026-01-01T00:00:00Z");
			RecordLeaseStoreTests.this.now.set(elected);
			Lease lease = elect(ELECTION, "a", 1);
			RecordLeaseStoreTests.this.now.set(elected.plusSeconds(5));
			assertThat(release(lease)).isTrue();
			assertThat(read(ELECTION).electedAt()).isEqualTo(elected);
		}

		@Test
		void watchThatNobodyReadsAsksForALook() {
			try (LeaseWatch watch = store().watch()) {
				for (int term = 1; term <= 3000; term++) {
					elect(ELECTION, "a", term);
				}
				awaitChange(watch, (change) -> change.lease() == null && change.removed() == null);
				Lease last = read(ELECTION);
				awaitChange(watch, (change) -> last.equals(change.lease()));
			}
		}

		@Test
		void closedWatchShowsNothingMore() {
			LeaseWatch watch = store().watch();
			watch.close();
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
		}

		@Test
		void interruptEndsTheWait() {
			try (LeaseWatch watch = store().watch()) {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
				assertThat(Thread.interrupted()).isTrue();
			}
		}

	}

	@Nested
	class Sessions extends SessionStoreContractTests {

		@Override
		protected LeaseStore store() {
			return RecordLeaseStoreTests.this.elections;
		}

		@Override
		protected void vanish(String id) {
			RecordLeaseStoreTests.this.stores.store(RecordLeaseStore.SESSIONS).drop(id);
		}

		@Test
		void sessionsAreSharedWhateverThePrefix() {
			store().create(session(5), TIMEOUT);
			assertThat(RecordLeaseStore.forLocks(RecordLeaseStoreTests.this.stores, "bank.").renew(session(6), TIMEOUT))
				.isTrue();
			assertStored(session(6));
		}

		/** Each looks for them as it begins, and seldom after that. */
		private RecordLeaseStore another() {
			return RecordLeaseStore.forElections(RecordLeaseStoreTests.this.stores, "");
		}

		@Test
		void whatHasEndedIsRemovedAfterARetention() {
			store().create(session(5), TIMEOUT);
			Session other = Session.first("other", 1, TTL);
			store().create(other, TIMEOUT);
			store().expire(other, TIMEOUT);
			RecordLeaseStoreTests.this.now.updateAndGet((now) -> now.plusSeconds(3599));
			another().sessions(Set.of(), true, TIMEOUT);
			assertStored(other.expired());
			RecordLeaseStoreTests.this.now.updateAndGet((now) -> now.plusSeconds(1));
			another().sessions(Set.of(), true, TIMEOUT);
			assertThat(store().sessions(Set.of(ID, other.id()), false, TIMEOUT).sessions()).containsOnlyKeys(ID);
		}

	}

}
