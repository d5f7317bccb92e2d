package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a {@link CandidateRegistry}. Each test begins with an empty registry.
 */
public abstract class CandidateRegistryContractTests {

	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final CandidateRecord CANDIDATE = new CandidateRecord("shop@web-1:4711-k3v9", "shop", "web-1",
			4711, "1.4.2", "http://web-1:8080", Set.of("nightly-report", "invoices"), null, null);

	/** Return the registry, empty. */
	protected abstract CandidateRegistry registry();

	@Test
	void announcedCandidateIsFound() {
		registry().announce(CANDIDATE, TIMEOUT);
		CandidateRecord found = find(CANDIDATE.id());
		assertThat(found).usingRecursiveComparison().ignoringFields("startedAt", "seenAt").isEqualTo(CANDIDATE);
		assertThat(found.startedAt()).isNotNull();
		assertThat(found.seenAt()).isNotNull();
	}

	@Test
	void versionAndAddressMayBeUnknown() {
		CandidateRecord candidate = new CandidateRecord("id", "shop", "web-1", 1, null, null, Set.of(), null, null);
		registry().announce(CANDIDATE, TIMEOUT);
		registry().announce(candidate, TIMEOUT);
		assertThat(find("id")).usingRecursiveComparison().ignoringFields("startedAt", "seenAt").isEqualTo(candidate);
	}

	@Test
	void announcingAgainReplacesTheEntryAndKeepsTheStart() {
		registry().announce(CANDIDATE, TIMEOUT);
		CandidateRecord first = find(CANDIDATE.id());
		registry().announce(CANDIDATE.standingIn(Set.of("invoices"), Set.of()), TIMEOUT);
		CandidateRecord second = find(CANDIDATE.id());
		assertThat(second.elections()).containsExactly("invoices");
		assertThat(second.startedAt()).isEqualTo(first.startedAt());
		assertThat(second.seenAt()).isAfterOrEqualTo(first.seenAt());
		assertThat(registry().findAll(TIMEOUT)).hasSize(1);
	}

	@Test
	void electionsInWhichItStandsAsideAreFoundUntilItStandsAgain() {
		registry().announce(CANDIDATE.standingIn(Set.of("invoices", "reports"), Set.of("reports")), TIMEOUT);
		CandidateRecord aside = find(CANDIDATE.id());
		assertThat(aside.elections()).containsExactlyInAnyOrder("invoices", "reports");
		assertThat(aside.paused()).containsExactly("reports");
		assertThat(aside.isReadyFor("invoices")).isTrue();
		assertThat(aside.isReadyFor("reports")).isFalse();
		assertThat(aside.isReadyFor("others")).isFalse();
		registry().announce(CANDIDATE.standingIn(Set.of("invoices", "reports"), Set.of()), TIMEOUT);
		assertThat(find(CANDIDATE.id()).paused()).isEmpty();
	}

	@Test
	void removedCandidateIsNotFound() {
		registry().announce(CANDIDATE, TIMEOUT);
		registry().remove(CANDIDATE.id(), TIMEOUT);
		registry().remove(CANDIDATE.id(), TIMEOUT);
		assertThat(registry().findAll(TIMEOUT)).isEmpty();
	}

	protected final CandidateRecord find(String id) {
		return registry().findAll(TIMEOUT)
			.stream()
			.filter((candidate) -> candidate.id().equals(id))
			.findFirst()
			.orElseThrow();
	}

}
