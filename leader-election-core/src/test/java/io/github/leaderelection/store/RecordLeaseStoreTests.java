package io.github.leaderelection.store;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RecordLeaseStore}, for elections.
 */
class RecordLeaseStoreTests extends LeaseStoreContractTests {

	private final InMemoryRecordStores stores = new InMemoryRecordStores();

	private final RecordLeaseStore shared = RecordLeaseStore.forElections(this.stores, "");

	private final LeaseStore store = RecordLeaseStore.forElections(this.stores, "shop.");

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String election) {
		this.stores.store(RecordLeaseStore.LEASES).drop("shop." + election);
	}

	@Test
	void leasesAreKeptUnderThePrefixedName() {
		elect(ELECTION, "a", 1);
		assertThat(this.store.leaseId(ELECTION)).isEqualTo("shop." + ELECTION);
		assertThat(this.shared.read(List.of("shop." + ELECTION, ELECTION), TIMEOUT).leases())
			.containsOnlyKeys("shop." + ELECTION);
	}

	@Test
	void otherPrefixIsAnotherElection() {
		LeaseStore other = RecordLeaseStore.forElections(this.stores, "bank.");
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
		try (LeaseWatch watch = this.store.watch()) {
			this.shared.create(List.of(Lease.vacant("bank.x", 7, 0, TTL)), TIMEOUT);
			this.shared.create(List.of(Lease.vacant("shop.x", 8, 0, TTL)), TIMEOUT);
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
