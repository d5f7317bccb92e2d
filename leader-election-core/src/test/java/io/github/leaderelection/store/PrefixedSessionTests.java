package io.github.leaderelection.store;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sessions of {@link PrefixedLeaseStore}.
 */
class PrefixedSessionTests extends SessionStoreContractTests {

	private final InMemoryLeaseStore shared = new InMemoryLeaseStore();

	private final LeaseStore store = PrefixedLeaseStore.of("shop.", this.shared);

	@Override
	protected SessionStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.shared.removeSession(id);
	}

	@Test
	void sessionIsThatOfTheProcessWhateverThePrefix() {
		this.store.create(session(1), TIMEOUT);
		assertThat(this.shared.sessions(List.of(), TIMEOUT).sessions()).containsOnlyKeys(ID);
		LeaseStore other = PrefixedLeaseStore.of("bank.", this.shared);
		assertThat(other.expire(read(), TIMEOUT)).isTrue();
		assertThat(this.store.renew(session(2), TIMEOUT)).isFalse();
	}

}
