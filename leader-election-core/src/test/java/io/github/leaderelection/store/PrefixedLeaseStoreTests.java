package io.github.leaderelection.store;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PrefixedLeaseStore}.
 */
class PrefixedLeaseStoreTests extends LeaseStoreContractTests {

	private final InMemoryLeaseStore shared = new InMemoryLeaseStore();

	private final LeaseStore store = PrefixedLeaseStore.of("shop.", this.shared);

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String election) {
		this.shared.remove("shop." + election);
	}

	@Test
	void withoutPrefixThereIsNothingToAdd() {
		assertThat(PrefixedLeaseStore.of("", this.shared)).isSameAs(this.shared);
		assertThat(this.shared.leaseId("x")).isEqualTo("x");
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
		LeaseStore other = PrefixedLeaseStore.of("bank.", this.shared);
		elect(ELECTION, "a", 1);
		other.create(ELECTION, 40, TTL, TIMEOUT);
		Lease seen = other.read(List.of(ELECTION), TIMEOUT).leases().get(ELECTION);
		assertThat(seen.isVacant()).isTrue();
		Map<String, Lease> taken = other.take(List.of(new LeaseTaking(seen, new LeaseClaim(ELECTION, "b", 41), TTL)),
				TIMEOUT);
		assertThat(taken.get(ELECTION).term()).isEqualTo(41);
		assertThat(read(ELECTION).isHeldBy("a")).isTrue();
		assertThat(other.release(new LeaseClaim(ELECTION, "a", 1), TIMEOUT)).isFalse();
	}

	@Test
	void changesOfOthersAreNotShown() {
		try (LeaseWatch watch = this.store.watch()) {
			this.shared.create("bank.x", 7, TTL, TIMEOUT);
			this.shared.create("shop.x", 8, TTL, TIMEOUT);
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
