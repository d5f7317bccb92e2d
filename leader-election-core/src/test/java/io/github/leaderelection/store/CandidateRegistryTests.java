package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CandidateRegistry}.
 */
class CandidateRegistryTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final CandidateRecord CANDIDATE = new CandidateRecord("shop@web-1:4711-k3v9", "shop", "web-1",
			"1.4.2", "http://web-1:8080", Set.of("nightly-report", "invoices"), null, Set.of());

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryRecordStores stores = new InMemoryRecordStores(this.now::get);

	private final CandidateRegistry registry = new CandidateRegistry(this.stores, "shop.");

	/** Version and address may be unknown. */
	@Test
	void announcedCandidatesAreFound() {
		for (CandidateRecord candidate : List.of(CANDIDATE,
				new CandidateRecord("id", "shop", "web-1", null, null, Set.of(), null, Set.of()))) {
			this.registry.announce(candidate, TIMEOUT);
			assertThat(find(candidate.id())).usingRecursiveComparison().ignoringFields("seenAt").isEqualTo(candidate);
			assertThat(find(candidate.id()).seenAt()).isNotNull();
		}
	}

	@Test
	void announcingAgainReplacesTheEntry() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		CandidateRecord first = find(CANDIDATE.id());
		this.registry.announce(CANDIDATE.standingIn(Set.of("invoices"), Set.of()), TIMEOUT);
		CandidateRecord second = find(CANDIDATE.id());
		assertThat(second.elections()).containsExactly("invoices");
		assertThat(second.seenAt()).isAfterOrEqualTo(first.seenAt());
		assertThat(this.registry.findAll(TIMEOUT)).hasSize(1);
	}

	@Test
	void pausedElectionsAreReportedUntilResumed() {
		this.registry.announce(CANDIDATE.standingIn(Set.of("invoices", "reports"), Set.of("reports")), TIMEOUT);
		CandidateRecord aside = find(CANDIDATE.id());
		assertThat(aside.elections()).containsExactlyInAnyOrder("invoices", "reports");
		assertThat(aside.paused()).containsExactly("reports");
		assertThat(aside.isReadyFor("invoices")).isTrue();
		assertThat(aside.isReadyFor("reports")).isFalse();
		assertThat(aside.isReadyFor("others")).isFalse();
		this.registry.announce(CANDIDATE.standingIn(Set.of("invoices", "reports"), Set.of()), TIMEOUT);
		assertThat(find(CANDIDATE.id()).paused()).isEmpty();
	}

	@Test
	void prefixSeparatesApplications() {
		CandidateRegistry other = new CandidateRegistry(this.stores, "bank.");
		this.registry.announce(CANDIDATE, TIMEOUT);
		other.announce(new CandidateRecord("bank", "bank", "web-1", null, null, Set.of("x"), null, Set.of()), TIMEOUT);
		assertThat(this.registry.findAll(TIMEOUT)).extracting(CandidateRecord::id).containsExactly(CANDIDATE.id());
		assertThat(other.findAll(TIMEOUT)).extracting(CandidateRecord::id).containsExactly("bank");
	}

	@Test
	void crashedCandidateIsForgottenAfterAnHour() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		this.now.updateAndGet((now) -> now.plusMillis(3_599_999));
		assertThat(this.registry.findAll(TIMEOUT)).hasSize(1);
		this.now.updateAndGet((now) -> now.plusMillis(1));
		assertThat(new CandidateRegistry(this.stores, "").findAll(TIMEOUT)).hasSize(1);
		assertThat(this.registry.findAll(TIMEOUT)).isEmpty();
		assertThat(this.stores.store(CandidateRegistry.CANDIDATES).read(Set.of(CANDIDATE.id()), TIMEOUT).records())
			.isEmpty();
	}

	@Test
	void thousandsOfElectionsAreVisibleToCandidatesInTheSameElections() {
		Set<String> names = IntStream.range(0, 5000).mapToObj((i) -> "customer-" + i).collect(Collectors.toSet());
		CandidateRegistry mine = new CandidateRegistry(this.stores, "shop.");
		this.registry.announce(CANDIDATE.standingIn(names, Set.of("customer-7")), TIMEOUT);
		assertThat(mine.findAll(TIMEOUT)).singleElement().extracting(CandidateRecord::elections).isEqualTo(Set.of());
		mine.announce(new CandidateRecord("mine", "shop", "web-2", null, null, names, null, Set.of()), TIMEOUT);
		assertThat(mine.findAll(TIMEOUT)).hasSize(2).allMatch((each) -> each.elections().equals(names));
		assertThat(find(CANDIDATE.id()).paused()).containsExactly("customer-7");
		this.registry.announce(CANDIDATE.standingIn(names, names), TIMEOUT);
		assertThat(mine.findAll(TIMEOUT)).filteredOn((each) -> names.stream().allMatch(each::isReadyFor))
			.extracting(CandidateRecord::id)
			.containsExactly("mine");
	}

	@Test
	void manyPausedElectionsCountAsAllForOthers() {
		Set<String> names = IntStream.range(0, 5000).mapToObj((i) -> "customer-" + i).collect(Collectors.toSet());
		Set<String> paused = names.stream().filter((name) -> !name.equals("customer-7")).collect(Collectors.toSet());
		this.registry.announce(CANDIDATE.standingIn(names, paused), TIMEOUT);
		assertThat(find(CANDIDATE.id()).paused()).isEqualTo(paused);
		CandidateRegistry mine = new CandidateRegistry(this.stores, "shop.");
		mine.announce(new CandidateRecord("mine", "shop", "web-2", null, null, names, null, Set.of()), TIMEOUT);
		assertThat(mine.findAll(TIMEOUT)).filteredOn("id", CANDIDATE.id())
			.singleElement()
			.extracting(CandidateRecord::paused)
			.isEqualTo(names);
	}

	@Test
	void invalidElectionNamesAreLeftOut() {
		this.registry.announce(CANDIDATE.standingIn(Set.of("jobs", "x\tERROR forged", "\u001b[2J"), Set.of()), TIMEOUT);
		assertThat(new CandidateRegistry(this.stores, "shop.").findAll(TIMEOUT)).singleElement()
			.extracting(CandidateRecord::elections)
			.isEqualTo(Set.of("jobs"));
	}

	@Test
	void entryRemovedByHandIsCreatedAgain() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		Rival.remove(this.stores.store(CandidateRegistry.CANDIDATES), CANDIDATE.id());
		this.registry.announce(CANDIDATE, TIMEOUT);
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(find(CANDIDATE.id()).host()).isEqualTo("web-1");
	}

	@Test
	void removedCandidateIsNotFound() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		this.registry.remove(CANDIDATE.id(), TIMEOUT);
		this.registry.remove(CANDIDATE.id(), TIMEOUT);
		assertThat(this.registry.findAll(TIMEOUT)).isEmpty();
	}

	private CandidateRecord find(String id) {
		return this.registry.findAll(TIMEOUT)
			.stream()
			.filter((candidate) -> candidate.id().equals(id))
			.findFirst()
			.orElseThrow();
	}

}
