package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sessions of {@link RecordLeaseStore}.
 */
class RecordSessionTests extends SessionStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryRecordStores stores = new InMemoryRecordStores(this.now::get);

	private final RecordLeaseStore store = RecordLeaseStore.forElections(this.stores, "shop.");

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.stores.store(RecordLeaseStore.SESSIONS).drop(id);
	}

	@Test
	void sessionsAreSharedWhateverThePrefix() {
		this.store.create(session(5), TIMEOUT);
		assertThat(RecordLeaseStore.forLocks(this.stores, "bank.").renew(session(6), TIMEOUT)).isTrue();
		assertStored(session(6));
	}

	/** Each looks for them as it begins, and seldom after that. */
	private RecordLeaseStore another() {
		return RecordLeaseStore.forElections(this.stores, "");
	}

	@Test
	void whatHasEndedIsRemovedAfterARetention() {
		this.store.create(session(5), TIMEOUT);
		Session other = Session.first("other", 1, TTL);
		this.store.create(other, TIMEOUT);
		this.store.expire(other, TIMEOUT);
		this.now.updateAndGet((now) -> now.plusSeconds(3599));
		another().sessions(Set.of(), true, TIMEOUT);
		assertStored(other.expired());
		this.now.updateAndGet((now) -> now.plusSeconds(1));
		another().sessions(Set.of(), true, TIMEOUT);
		assertThat(this.store.sessions(Set.of(ID, other.id()), false, TIMEOUT).sessions()).containsOnlyKeys(ID);
	}

}
