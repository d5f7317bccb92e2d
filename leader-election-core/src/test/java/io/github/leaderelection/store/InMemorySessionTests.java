package io.github.leaderelection.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sessions of {@link InMemoryLeaseStore}.
 */
class InMemorySessionTests extends SessionStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final InMemoryLeaseStore store = new InMemoryLeaseStore(this.now::get);

	@Override
	protected SessionStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.store.removeSession(id);
	}

	@Test
	void datesComeFromTheClock() {
		Instant created = Instant.parse("2026-01-01T00:00:00Z");
		this.now.set(created);
		this.store.create(session(1), TIMEOUT);
		assertThat(read().renewedAt()).isEqualTo(created);
		this.now.set(created.plusSeconds(5));
		this.store.renew(session(2), TIMEOUT);
		this.now.set(created.plusSeconds(7));
		assertThat(read().renewedAt()).isEqualTo(created.plusSeconds(5));
		assertThat(this.store.sessions(List.of(), TIMEOUT).readAt()).isEqualTo(created.plusSeconds(7));
	}

	@Test
	void removeTellsWhetherThereWasASession() {
		this.store.create(session(1), TIMEOUT);
		assertThat(this.store.removeSession(ID)).isTrue();
		assertThat(this.store.removeSession(ID)).isFalse();
	}

}
