package io.github.leaderelection.store;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaseStore}, on records in memory.
 */
class InMemoryLeaseStoreTests extends LeaseStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryRecordStores stores = new InMemoryRecordStores(this.now::get);

	private final LeaseStore store = new LeaseStore(this.stores, "", false, this.now::get, () -> 1);

	@Override
	protected RecordStores stores() {
		return this.stores;
	}

	@Override
	protected void pass() {
		pass(1);
	}

	private void pass(long seconds) {
		this.now.updateAndGet((now) -> now.plusSeconds(seconds));
	}

	@Test
	void electedAtIsWhenTheTermBegan() {
		Instant elected = this.now.get();
		Rival rival = new Rival(this.store, "a", TTL);
		assertThat(rival.take(ELECTION).electedAt()).isEqualTo(elected);
		pass(5);
		rival.release(ELECTION);
		assertThat(Rival.read(this.store, ELECTION).electedAt()).isEqualTo(elected);
	}

	/** Each store looks for ended sessions when it begins, and seldom after that. */
	@Test
	void endedSessionIsRemovedAfterItsRetention() {
		Session other = Session.first("other", 1, TTL);
		assertThat(this.store.create(session(5), TIMEOUT)).isTrue();
		assertThat(this.store.create(other, TIMEOUT)).isTrue();
		assertThat(this.store.expire(other, TIMEOUT)).isTrue();
		Set<String> ids = Set.of(session(5).id(), other.id());
		pass(3599);
		LeaseStore.forElections(this.stores, "").sessions(Set.of(), true, TIMEOUT);
		assertThat(this.store.sessions(ids, false, TIMEOUT).sessions()).containsOnlyKeys(ids);
		pass(1);
		LeaseStore.forElections(this.stores, "").sessions(Set.of(), true, TIMEOUT);
		assertThat(this.store.sessions(ids, false, TIMEOUT).sessions()).containsOnlyKeys(session(5).id());
	}

	@Test
	void unreadWatchRequestsANewRead() {
		Rival rival = new Rival(this.store, "a", TTL);
		try (RecordWatch watch = this.store.watch()) {
			for (int i = 0; i < 3000; i++) {
				rival.take(ELECTION);
			}
			awaitChange(this.store, watch, (change) -> change.lease() == null && change.removed() == null);
			Lease last = this.store.read(List.of(ELECTION), List.of(), TIMEOUT).leases().get(ELECTION);
			awaitChange(this.store, watch, (change) -> last.equals(change.lease()));
		}
	}

	@Test
	void closedOrInterruptedWatchThrows() {
		try (RecordWatch watch = this.store.watch()) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
			assertThat(Thread.interrupted()).isTrue();
			watch.close();
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
		}
	}

}
