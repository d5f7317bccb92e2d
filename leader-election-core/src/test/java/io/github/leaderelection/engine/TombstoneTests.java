package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.Rival;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what tombstones cost: those of many holders that have no session, and one
 * that fails.
 */
class TombstoneTests {

	private static final List<String> ELECTIONS = IntStream.range(0, 20).mapToObj((i) -> "election-" + i).toList();

	private final ManualClock clock = new ManualClock();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	@Test
	void oneRefusedTombstoneIsEnoughToLookAgain() {
		for (String election : ELECTIONS) {
			Lease lease = new Rival(this.leases, "gone-" + election, MemberNode.TTL).take(election);
			Rival.remove(this.stores.store(LeaseStore.SESSIONS), lease.sessionId());
		}
		FaultyLeaseStore store = new FaultyLeaseStore(this.leases);
		MemberNode first = new MemberNode("first", this.leases, this.clock);
		MemberNode second = new MemberNode("second", store, this.clock);
		ELECTIONS.forEach(first.elections()::join);
		ELECTIONS.forEach(second.elections()::join);
		// Both know whom to bury, and one is faster.
		first.perform(awaitBurial(first));
		StoreCall burial = awaitBurial(second);
		first.run();
		store.takeCalls();
		second.perform(burial);
		second.run();
		assertThat(store.takeCalls().stream().filter((call) -> call.startsWith("create ")).count()).isEqualTo(1);
		pass(MemberNode.TTL.plusSeconds(1), (now) -> first.run());
		assertThat(ELECTIONS).allMatch(first::leads);
	}

	@Test
	void failedTombstoneIsForgottenWhenTheHolderTurnsOutToLive() {
		FaultyLeaseStore store = new FaultyLeaseStore(this.leases);
		MemberNode leader = new MemberNode("leader", this.leases, this.clock);
		MemberNode follower = new MemberNode("follower", store, this.clock);
		leader.elections().join("jobs");
		leader.run();
		store.beBehind(true);
		follower.elections().join("jobs");
		StoreCall burial = awaitBurial(follower);
		store.failBefore();
		// It takes so long that the next look comes before the next try.
		this.clock.advance(2_500);
		follower.perform(burial);
		store.heal();
		store.beBehind(false);
		assertThat(leavesOpen(follower)).isTrue();
		pass(MemberNode.TTL, (now) -> {
			leader.run();
			follower.run();
		});
		assertThat(leader.leads("jobs")).isTrue();
		assertThat(leavesOpen(follower)).isFalse();
	}

	/** Return the call without making it. */
	private StoreCall awaitBurial(MemberNode node) {
		StoreCall call = node.poll();
		while (call == null || call.operation() != StoreOperation.BURY) {
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

	private boolean leavesOpen(MemberNode node) {
		return node.turns().leavesOpen(StoreOperation.READ, "jobs", this.clock.now());
	}

	private void pass(Duration duration, Consumer<Moment> step) {
		for (long left = duration.toMillis(); left > 0; left -= 100) {
			step.accept(this.clock.now());
			this.clock.advance(100);
		}
	}

}
