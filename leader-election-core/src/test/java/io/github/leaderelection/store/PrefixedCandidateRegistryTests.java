package io.github.leaderelection.store;

import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PrefixedCandidateRegistry}.
 */
class PrefixedCandidateRegistryTests extends CandidateRegistryContractTests {

	private final InMemoryCandidateRegistry shared = new InMemoryCandidateRegistry();

	private final CandidateRegistry registry = PrefixedCandidateRegistry.of("shop.", this.shared);

	@Override
	protected CandidateRegistry registry() {
		return this.registry;
	}

	@Test
	void withoutPrefixThereIsNothingToAdd() {
		assertThat(PrefixedCandidateRegistry.of("", this.shared)).isSameAs(this.shared);
	}

	@Test
	void electionsAreKeptUnderThePrefixedName() {
		this.registry.announce(CANDIDATE.standingIn(Set.of("x"), Set.of("x")), TIMEOUT);
		assertThat(this.shared.findAll(TIMEOUT)).singleElement().satisfies((stored) -> {
			assertThat(stored.elections()).containsExactly("shop.x");
			assertThat(stored.paused()).containsExactly("shop.x");
		});
	}

	@Test
	void candidatesOfOtherElectionsAreNotShown() {
		this.registry.announce(CANDIDATE.standingIn(Set.of("x"), Set.of()), TIMEOUT);
		CandidateRecord other = new CandidateRecord("bank@web-1:1-0", "bank", "web-1", 1, null, null,
				Set.of("bank.x", "x", "shop."), null, null);
		this.shared.announce(other, TIMEOUT);
		assertThat(this.registry.findAll(TIMEOUT)).extracting(CandidateRecord::id).containsExactly(CANDIDATE.id());
		this.shared.announce(other.standingIn(Set.of("bank.x", "shop.y"), Set.of()), TIMEOUT);
		assertThat(find(other.id()).elections()).containsExactly("y");
	}

}
