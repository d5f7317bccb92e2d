package io.github.leaderelection.store;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InMemoryCandidateRegistry}.
 */
class InMemoryCandidateRegistryTests extends CandidateRegistryContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

	private final InMemoryCandidateRegistry registry = new InMemoryCandidateRegistry(this.now::get);

	@Override
	protected CandidateRegistry registry() {
		return this.registry;
	}

	@Test
	void datesComeFromTheClock() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		this.now.set(Instant.EPOCH.plusSeconds(5));
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(find(CANDIDATE.id()).startedAt()).isEqualTo(Instant.EPOCH);
		assertThat(find(CANDIDATE.id()).seenAt()).isEqualTo(Instant.EPOCH.plusSeconds(5));
	}

}
