package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases that somebody keeps locked: a change of one of them takes all the time it may,
 * and is in vain, with all that are changed by the same command.
 */
class LockedLeasesTests {

	/**
	 * More than can be tried, each with all the time there is, while one of them waits.
	 */
	private static final List<String> MANY = IntStream.range(0, 12).mapToObj((i) -> "election-" + i).toList();

	private final ManualClock clock = new ManualClock();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	private final Set<String> locked = new HashSet<>();

	private final MemberNode node = new MemberNode("me", store(), this.clock);

	@Test
	void lockedLeasesDoNotKeepALeaderFromLookingAtItsOwn() {
		this.node.elections().join("mine");
		MANY.forEach(this.node.elections()::join);
		pass(Duration.ofSeconds(5));
		assertThat(MANY).allMatch(this.node::leads);
		Term term = this.node.term("mine");
		this.locked.addAll(MANY);
		MANY.forEach((election) -> this.node.elections().pauseMember(election, true));
		pass(Duration.ofMinutes(2));
		assertThat(term.isHeld()).isTrue();
	}

	@Test
	void lockedLeasesDoNotKeepOneThatIsLockedNoMoreFromBeingTaken() {
		standInManyThatAreLocked();
		for (String election : MANY.subList(0, 11)) {
			pass(Duration.ofMinutes(2));
			this.locked.remove(election);
			// Eleven others, and the pause.
			pass(Duration.ofSeconds(40));
			assertThat(this.node.leads(election)).as(election).isTrue();
			this.node.elections().pauseMember(election, true);
			pass(Duration.ofSeconds(10));
			this.locked.add(election);
			this.node.elections().pauseMember(election, false);
		}
	}

	@Test
	void leaseThatSomebodyHasChangedIsTriedAtOnce() {
		MemberNode other = new MemberNode("other", this.leases, this.clock);
		this.leases.create(List.of(Lease.vacant("jobs", 0, 0, MemberNode.TTL)), MemberNode.TTL);
		this.locked.add("jobs");
		this.node.elections().join("jobs");
		this.node.answers().setPushed(true);
		pass(Duration.ofMinutes(1));
		ElectionMember member = this.node.elections().get("jobs");
		while (member.state().backoff().until() - this.clock.nanos() < Duration.ofSeconds(4).toNanos()) {
			pass(Duration.ofMillis(100));
		}
		// Longer than a follower waits after any failure.
		pass(Duration.ofMillis(1_200));
		other.elections().join("jobs");
		other.run();
		assertThat(other.elections().resign("jobs")).isTrue();
		other.run();
		assertThat(this.clock.now().isDue(member.state().backoff().until())).isFalse();
		this.locked.clear();
		this.node.answers().pushed(read("jobs"));
		this.node.run();
		assertThat(this.node.leads("jobs")).isTrue();
	}

	private void standInManyThatAreLocked() {
		this.locked.addAll(MANY);
		MANY.forEach((election) -> this.leases.create(List.of(Lease.vacant(election, 0, 0, MemberNode.TTL)),
				MemberNode.TTL));
		MANY.forEach(this.node.elections()::join);
	}

	private Lease read(String election) {
		Lease lease = this.leases.read(Set.of(election), MemberNode.TTL).leases().get(election);
		assertThat(lease).isNotNull();
		return lease;
	}

	/** Let time pass, in which calls that are in vain take theirs. */
	private void pass(Duration duration) {
		long end = this.clock.nanos() + duration.toNanos();
		while (this.clock.nanos() - end < 0) {
			StoreCall call = this.node.poll();
			if (call != null) {
				this.node.perform(call);
			}
			else {
				this.clock.advance(50);
			}
			this.node.pump();
		}
	}

	private LeaseStore store() {
		return new InterceptedLeaseStore(this.leases, (method, what, timeout) -> {
			if (what instanceof Collection<?> all && all.stream().anyMatch(this::isChangeOfLocked)) {
				this.clock.advance(timeout.toMillis());
				throw new LeaseStoreException("locked, as the test wants", null);
			}
		});
	}

	private boolean isChangeOfLocked(Object change) {
		return change instanceof Lease lease && this.locked.contains(lease.election());
	}

}
