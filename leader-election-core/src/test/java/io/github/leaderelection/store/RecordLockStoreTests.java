package io.github.leaderelection.store;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RecordLeaseStore}, for locks.
 */
class RecordLockStoreTests extends LockStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final InMemoryRecordStores stores = new InMemoryRecordStores(this.now::get);

	private final RecordLeaseStore store = new RecordLeaseStore(this.stores, "shop.", true, this.now::get,
			() -> ThreadLocalRandom.current().nextLong(1, 1L << 40));

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void pass() {
		this.now.updateAndGet((now) -> now.plusSeconds(1));
	}

	@Override
	protected void vanish(String election) {
		this.stores.store(RecordLeaseStore.LOCKS).drop("shop." + election);
	}

	@Test
	void datesComeFromTheClock() {
		Instant elected = Instant.parse("2026-01-01T00:00:00Z");
		this.now.set(elected);
		Lease lease = elect(ELECTION, "a", 1);
		this.now.set(elected.plusSeconds(5));
		assertThat(release(lease)).isTrue();
		assertThat(read(ELECTION).electedAt()).isEqualTo(elected);
	}

	@Test
	void watchThatNobodyReadsAsksForALook() {
		try (LeaseWatch watch = this.store.watch()) {
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
		LeaseWatch watch = this.store.watch();
		watch.close();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
	}

	@Test
	void interruptEndsTheWait() {
		try (LeaseWatch watch = this.store.watch()) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
			assertThat(Thread.interrupted()).isTrue();
		}
	}

}
