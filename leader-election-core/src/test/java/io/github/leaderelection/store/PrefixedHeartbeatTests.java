package io.github.leaderelection.store;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the heartbeats of {@link PrefixedLeaseStore}.
 */
class PrefixedHeartbeatTests extends HeartbeatStoreContractTests {

	private final InMemoryLeaseStore shared = new InMemoryLeaseStore();

	private final LeaseStore store = PrefixedLeaseStore.of("shop.", this.shared);

	@Override
	protected HeartbeatStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.shared.removeHeartbeat(id);
	}

	@Test
	void processIsAskedAboutElectionsWithItsPrefixOnly() {
		this.store.enter(heartbeat(1, 1), TIMEOUT);
		PauseRequest pause = PauseRequest.of("jobs", true, "other");
		assertThat(this.store.ask(ID, pause, TIMEOUT)).isTrue();
		PrefixedLeaseStore.of("bank.", this.shared).ask(ID, pause, TIMEOUT);
		assertThat(this.shared.beat(heartbeat(1, 2), TIMEOUT).requests()).extracting(PauseRequest::election)
			.containsExactly("shop.jobs", "bank.jobs");
		assertThat(this.store.beat(heartbeat(1, 3), TIMEOUT).requests()).containsExactly(pause);
	}

	@Test
	void heartbeatIsThatOfTheProcessWhateverThePrefix() {
		this.store.enter(heartbeat(1, 1), TIMEOUT);
		assertThat(this.shared.heartbeats(List.of(), TIMEOUT).heartbeats()).containsOnlyKeys(ID);
		LeaseStore other = PrefixedLeaseStore.of("bank.", this.shared);
		assertThat(other.end(read(), 2, TIMEOUT)).isTrue();
		assertThat(this.store.beat(heartbeat(1, 2), TIMEOUT).acknowledged()).isFalse();
	}

}
