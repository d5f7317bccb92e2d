package io.github.leaderelection.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the heartbeats of {@link InMemoryLeaseStore}.
 */
class InMemoryHeartbeatTests extends HeartbeatStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final InMemoryLeaseStore store = new InMemoryLeaseStore(this.now::get);

	@Override
	protected HeartbeatStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.store.removeHeartbeat(id);
	}

	@Test
	void datesComeFromTheClock() {
		Instant entered = Instant.parse("2026-01-01T00:00:00Z");
		this.now.set(entered);
		this.store.enter(heartbeat(1, 1), TIMEOUT);
		assertThat(read().beatAt()).isEqualTo(entered);
		this.now.set(entered.plusSeconds(5));
		this.store.beat(heartbeat(1, 2), TIMEOUT);
		this.now.set(entered.plusSeconds(7));
		assertThat(read().beatAt()).isEqualTo(entered.plusSeconds(5));
		assertThat(this.store.heartbeats(List.of(), TIMEOUT).readAt()).isEqualTo(entered.plusSeconds(7));
	}

	@Test
	void removeTellsWhetherThereWasAHeartbeat() {
		this.store.enter(heartbeat(1, 1), TIMEOUT);
		assertThat(this.store.removeHeartbeat(ID)).isTrue();
		assertThat(this.store.removeHeartbeat(ID)).isFalse();
	}

}
