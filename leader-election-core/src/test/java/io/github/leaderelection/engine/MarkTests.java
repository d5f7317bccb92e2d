package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.Rival;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what marks cost: those of many holders that have no heartbeat, and one that
 * fails.
 */
class MarkTests {

	private static final List<String> ELECTIONS = IntStream.range(0, 20).mapToObj((i) -> "election-" + i).toList();

	private final ManualClock clock = new ManualClock();

	private final InMemoryLeaseStore leases = new InMemoryLeaseStore(() -> Instant.ofEpochMilli(this.clock.millis()));

	@Test
	void oneRefusedMarkIsEnoughToLookAgain() {
		for (String election : ELECTIONS) {
			new Rival(this.leases, "gone-" + election, ElectionsNode.TTL).take(election);
			this.leases.removeHeartbeat(Heartbeat.id("gone-" + election, ElectionsNode.TTL));
		}
		FaultyLeaseStore store = new FaultyLeaseStore(this.leases);
		ElectionsNode first = new ElectionsNode("first", this.leases, this.clock);
		ElectionsNode second = new ElectionsNode("second", store, this.clock);
		ELECTIONS.forEach(first.elections()::stand);
		ELECTIONS.forEach(second.elections()::stand);
		// Both know whom to mark, and one is faster.
		first.perform(awaitMark(first));
		StoreCall mark = awaitMark(second);
		first.run();
		store.takeCalls();
		second.perform(mark);
		second.run();
		assertThat(Collections.frequency(store.takeCalls(), "enter")).isEqualTo(1);
		pass(ElectionsNode.TTL.plusSeconds(1), (now) -> first.run());
		assertThat(ELECTIONS).allMatch(first::leads);
	}

	@Test
	void failedMarkIsForgottenWhenTheHolderTurnsOutToLive() {
		FaultyLeaseStore store = new FaultyLeaseStore(this.leases);
		ElectionsNode leader = new ElectionsNode("leader", this.leases, this.clock);
		ElectionsNode follower = new ElectionsNode("follower", store, this.clock);
		leader.elections().stand("jobs");
		leader.run();
		store.beBehind(true);
		follower.elections().stand("jobs");
		StoreCall mark = awaitMark(follower);
		store.failBefore();
		// It takes so long that the next look comes before the next try.
		this.clock.advance(2_500);
		follower.perform(mark);
		store.heal();
		store.beBehind(false);
		assertThat(leavesOpen(follower)).isTrue();
		pass(ElectionsNode.TTL, (now) -> {
			leader.run();
			follower.run();
		});
		assertThat(leader.leads("jobs")).isTrue();
		assertThat(leavesOpen(follower)).isFalse();
	}

	/** Return the call without making it. */
	private StoreCall awaitMark(ElectionsNode node) {
		StoreCall call = node.poll();
		while (call == null || call.operation() != StoreOperation.MARK) {
			if (call != null) {
				node.perform(call);
			}
			else {
				this.clock.advance(100);
			}
			call = node.poll();
		}
		return call;
	}

	private boolean leavesOpen(ElectionsNode node) {
		return node.elections().leavesOpen(StoreOperation.READ, "jobs", this.clock.now());
	}

	private void pass(Duration duration, Consumer<Moment> step) {
		for (long left = duration.toMillis(); left > 0; left -= 100) {
			step.accept(this.clock.now());
			this.clock.advance(100);
		}
	}

}
