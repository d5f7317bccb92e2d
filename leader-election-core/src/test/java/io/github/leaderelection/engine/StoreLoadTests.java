package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts how often candidates call their store while nothing happens, and when all
 * leaderships change at once. Takings and releases are pushed, renewals are not.
 */
@Tag("deep")
class StoreLoadTests {

	private static final int CANDIDATES = 10;

	/** For the time to live of 10 s, {@link MemberNode#TTL}. */
	private static final int RENEWALS_PER_MINUTE = 24;

	private final ManualClock clock = new ManualClock();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	private final Map<String, Lease> shown = new HashMap<>();

	private final List<Node> nodes = new ArrayList<>();

	private final Set<String> elections = new LinkedHashSet<>();

	@ParameterizedTest
	@ValueSource(ints = { 1, 100 })
	void leaderRenewsAndFollowersReadOncePerRenewal(int number) {
		start(number);
		pass(Duration.ofMinutes(1));
		takeCalls();
		pass(Duration.ofMinutes(1));
		Map<String, Long> calls = takeCalls();
		assertThat(calls).containsOnlyKeys("renew", "watch", "read");
		// A process that leads nothing renews after 4 s, not after 2.5 s.
		assertThat(calls.get("renew")).isBetween((long) RENEWALS_PER_MINUTE,
				RENEWALS_PER_MINUTE + (CANDIDATES - 1) * 16L);
		assertThat(calls.get("watch")).isLessThanOrEqualTo((long) CANDIDATES * RENEWALS_PER_MINUTE);
		// The leader reads its own lease, and followers check that they missed nothing.
		assertThat(calls.get("read")).isLessThanOrEqualTo(RENEWALS_PER_MINUTE + (CANDIDATES - 1) * 2L);
	}

	@Test
	void eachLeaderOfSomeElectionsRenewsOnceAndReadsTheOthers() {
		start(100);
		int index = 0;
		for (String election : this.elections) {
			Node next = this.nodes.get(index++ % CANDIDATES);
			if (!next.leads(election)) {
				this.nodes.get(0).node.elections().resign(election, next.id);
				// Each begins to lead, and so to renew, at its own time.
				pass(Duration.ofMillis((index <= CANDIDATES) ? 250 : 5));
			}
		}
		pass(Duration.ofMinutes(1));
		assertThat(this.nodes).allMatch((node) -> this.elections.stream().filter(node::leads).count() == 10);
		takeCalls();
		pass(Duration.ofMinutes(1));
		Map<String, Long> calls = takeCalls();
		assertThat(calls).containsOnlyKeys("renew", "watch", "read");
		assertThat(calls.get("renew")).isEqualTo((long) CANDIDATES * RENEWALS_PER_MINUTE);
		// They renew in step, so one read shows all renewals.
		assertThat(calls.get("watch")).isLessThanOrEqualTo((long) CANDIDATES * RENEWALS_PER_MINUTE);
	}

	@Test
	void handoverOfHundredElectionsTakesAsManyCallsAsOne() {
		start(100);
		takeCalls();
		this.nodes.get(0).node.elections().close();
		pass(Duration.ofSeconds(1));
		assertThat(this.elections).allMatch((election) -> this.nodes.stream().anyMatch((node) -> node.leads(election)));
		Map<String, Long> calls = takeCalls();
		assertThat(calls.get("release")).isOne();
		assertThat(calls.get("take")).isLessThan(CANDIDATES);
	}

	private void start(int number) {
		IntStream.range(0, number).forEach((index) -> this.elections.add("election-" + index));
		for (int i = 0; i < CANDIDATES; i++) {
			Node node = new Node("app@host-%d:4711-x".formatted(i));
			this.nodes.add(node);
			this.elections.forEach(node.node.elections()::join);
			node.node.answers().setPushed(true);
			node.node.run();
		}
		pass(Duration.ofSeconds(20));
		assertThat(this.elections).allMatch(this.nodes.get(0)::leads);
	}

	private void pass(Duration duration) {
		for (long millis = 0; millis < duration.toMillis(); millis += 5) {
			this.clock.advance(5);
			push();
			this.nodes.forEach((node) -> node.node.run());
		}
	}

	/** Push each change to all processes, as a change stream would. */
	private void push() {
		Map<String, Lease> read = this.leases.read(this.elections, List.of(), MemberNode.TTL).leases();
		read.forEach((election, lease) -> {
			Lease before = this.shown.put(election, lease);
			if (before == null || before.term() != lease.term() || !Objects.equals(before.holder(), lease.holder())) {
				this.nodes.forEach((node) -> node.node.answers().pushed(lease));
			}
		});
	}

	/** Return how often the store was called since the last time, by kind of call. */
	private Map<String, Long> takeCalls() {
		return this.nodes.stream()
			.flatMap((node) -> node.store.takeCalls().stream())
			.map((call) -> call.split(" ")[0])
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
	}

	private final class Node {

		private final FaultyLeaseStore store = new FaultyLeaseStore(StoreLoadTests.this.leases);

		private final String id;

		private final MemberNode node;

		Node(String id) {
			this.id = id;
			this.node = new MemberNode(id, this.store, StoreLoadTests.this.clock);
		}

		boolean leads(String election) {
			return this.node.leads(election);
		}

	}

}
