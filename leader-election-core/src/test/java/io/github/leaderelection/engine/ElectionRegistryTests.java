package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Rival;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ElectionRegistry} and {@link ElectionMember}, without threads.
 */
class ElectionRegistryTests {

	/**
	 * Too many to try one by one with the full timeout while one of them waits.
	 */
	private static final List<String> MANY = IntStream.range(0, 12).mapToObj((i) -> "election-" + i).toList();

	private final ManualClock clock = new ManualClock();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final LeaseStore leases = LeaseStore.forElections(this.stores, "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final MemberNode node = new MemberNode("me", this.store, this.clock);

	private final MemberNode other = new MemberNode("other", this.leases, this.clock);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final Set<String> locked = new HashSet<>();

	// Calls of the store

	@Test
	@ExtendWith(LogCapture.class)
	void damageIsLoggedOncePerOccurrence(CapturedLog log) {
		this.node.elections().join("jobs");
		for (int i = 0; i < 5; i++) {
			this.store.damage(Map.of("jobs", "term is odd in way " + i));
			live(2_000);
			this.store.damage(Map.of("jobs", "term is odd in another way"));
			live(2_000);
			assertThat(status(this.node).damage()).isEqualTo("term is odd in another way");
			this.store.damage(Map.of());
			live(2_000);
		}
		assertThat(log.toString().lines().filter((line) -> line.contains("is damaged: "))).hasSize(5);
	}

	@Test
	@ExtendWith(LogCapture.class)
	void damageIsLoggedAgainAfterAPushedRepair(CapturedLog log) {
		lead(this.other);
		this.node.elections().join("jobs");
		live(2_000);
		for (int i = 0; i < 2; i++) {
			this.store.damage(Map.of("jobs", "term is odd in way " + i));
			live(20_000);
			this.store.damage(Map.of());
			this.node.answers().pushed(read("jobs"));
		}
		assertThat(log).containsOnlyOnce("way 0").containsOnlyOnce("way 1");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void damageThatWasRepairedDuringTheReadIsNotReported(CapturedLog log) {
		lead(this.other);
		this.node.elections().join("jobs");
		live(2_000);
		this.store.damage(Map.of("jobs", "term is odd"));
		StoreCall late = await(StoreOperation.READ, this.node);
		Consumer<Moment> reply = late.request().get();
		this.store.damage(Map.of());
		this.clock.advance(1);
		this.other.elections().resign("jobs", null);
		this.other.run();
		this.node.answers().pushed(read("jobs"));
		this.node.loop().answered(late, reply, this.clock.now());
		assertThat(status(this.node).damage()).isNull();
		assertThat(log.toString()).doesNotContain("is damaged: ");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void damageIsReportedOnOneLine(CapturedLog log) {
		this.store.damage(Map.of("jobs", "odd\nforged \u001b[31mline\u202e"));
		this.node.elections().join("jobs");
		this.node.run();
		assertThat(log).contains("is damaged: odd?forged ?[31mline?.");
		assertThat(status(this.node).damage()).isEqualTo("odd?forged ?[31mline?");
		this.store.damage(Map.of());
		live(2_000);
		assertThat(status(this.node).damage()).isNull();
	}

	@Test
	@ExtendWith(LogCapture.class)
	void endOfAnOutageIsLoggedBeforeTheNextElection(CapturedLog log) {
		this.store.failBefore();
		this.node.elections().join("jobs");
		live(2_000);
		this.store.heal();
		live(5_000);
		assertThat(log.toString()).containsSubsequence("Leases can't be reached", "Leases can be reached again",
				"Elected: this instance leads 'jobs'");
	}

	/** As after a pause of the process: the term had ended before anybody took over. */
	@Test
	@ExtendWith(LogCapture.class)
	void lossIsLoggedWithTheReasonThatTheTermGives(CapturedLog log) {
		lead(this.node);
		Term term = this.node.term("jobs");
		Lease own = read("jobs");
		this.clock.advance(MemberNode.TTL.toMillis());
		this.node.answers().pushed(new Rival(this.leases, "other", MemberNode.TTL).take("jobs"));
		assertThat(read("jobs").term()).isGreaterThan(own.term());
		assertThat(term.lossReason()).contains(LossReason.EXPIRED);
		assertThat(log).contains("Lost leadership of 'jobs', term 1: EXPIRED");
	}

	@Test
	void outageThatBeganWithAReadEndsWhenTheNextLeaderIsPushed() {
		this.node.answers().setPushed(true);
		lead(this.node);
		StoreCall read = await(StoreOperation.READ, this.node);
		this.store.failBefore();
		this.node.perform(read);
		live(30_000);
		assertThat(this.node.leads("jobs")).isFalse();
		assertThat(this.node.loop().outage(this.clock.now())).isNotNull();
		assertThat(status(this.node).leader()).isNull();
		assertThat(status(this.node).remaining()).isZero();
		this.store.heal();
		this.node.perform(await(StoreOperation.RELEASE, this.node));
		lead(this.other);
		this.node.answers().pushed(read("jobs"));
		live(5_000);
		assertThat(this.node.loop().outage(this.clock.now())).isNull();
	}

	@Test
	void outageEndsWhenTheFailedElectionIsNoLongerRead() {
		StoreAvailability outage = new StoreAvailability(this.node.elections().context());
		Moment now = this.clock.now();
		outage.failed(StoreOperation.READ, Set.of("jobs", "other"), new LeaseStoreException("no answer", null), now,
				now);
		outage.answered(StoreOperation.READ, Set.of("other"), Set.of("other"), Set.of("jobs", "other"),
				(repeated) -> Set.of("jobs", "other"), now);
		assertThat(outage.status(now)).isNotNull();
		outage.answered(StoreOperation.WATCH, Set.of("jobs", "other"), Set.of(), Set.of("jobs", "other"),
				(repeated) -> Set.of("other"), now);
		assertThat(outage.status(now)).isNull();
	}

	@Test
	void leaderIsShownOnOneLineButMatchedAsStored() {
		String stranger = "x\nWARN forged \u001b[2J\u2028" + "y".repeat(900);
		Rival.create(this.leases, "jobs", 1, MemberNode.TTL);
		new Rival(this.leases, stranger, MemberNode.TTL).take("jobs");
		this.node.elections().join("jobs");
		live(1_000);
		assertThat(status(this.node).leader()).startsWith("x?WARN forged ?[2J?yyy").hasSizeLessThan(600);
		assertThat(this.node.heard().toString()).doesNotContain("\n", "\u001b", "\u2028").contains("x?WARN forged");
		live(10_000);
		assertThat(this.node.leads("jobs")).as("after the time that a stranger's lease lives").isTrue();
	}

	@Test
	void sharedCallUsesTheShortestTimeout() {
		Map<String, Duration> ttls = Map.of("patient", Duration.ofSeconds(60), "jobs", Duration.ofSeconds(4));
		ElectionRegistry me = new ElectionRegistry(
				new EngineContext("both", this.store, this.clock, Runnable::run, List.of(), () -> {
				}), (election) -> ElectionSettings.of(ttls.get(election)));
		ttls.keySet().forEach(me::join);
		assertThat(new EventLoop(me, new Answers(me, List::of), null).plan(this.clock.now(), CommandPlanner::callLimit))
			.isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void lateWakeUpOfAFormerMemberKeepsTheNewOne() {
		this.other.elections().join("jobs");
		this.other.run();
		this.node.elections().register(this.candidate);
		live(1_000);
		ElectionMember former = this.node.elections().get("jobs");
		this.node.elections().unregister(this.candidate);
		RecordingCandidate next = new RecordingCandidate("jobs");
		this.node.elections().register(next);
		// As if a callback had ended late.
		former.wake();
		this.node.loop().tick(this.clock.now());
		assertThat(this.node.elections().names()).containsExactly("jobs");
		assertThat(this.node.elections().get("jobs")).isNotSameAs(former);
		assertThat(this.node.elections().unregister(next)).isTrue();
		live(1_000);
		assertThat(this.node.elections().names()).isEmpty();
	}

	// Leases that are locked, and tombstones

	@Test
	void lockedLeasesDoNotStopALeaderFromReadingItsOwn() {
		this.node.elections().join("mine");
		MANY.forEach(this.node.elections()::join);
		pass(Duration.ofSeconds(5));
		assertThat(MANY).allMatch(this.node::leads);
		Term term = this.node.term("mine");
		lock(MANY);
		MANY.forEach((election) -> this.node.elections().pauseMember(election, true));
		pass(Duration.ofMinutes(2));
		assertThat(term.isHeld()).isTrue();
	}

	@Test
	void unlockedLeaseIsTakenWhileOthersStayLocked() {
		lock(MANY);
		MANY.forEach((election) -> Rival.create(this.leases, election, 0, MemberNode.TTL));
		MANY.forEach(this.node.elections()::join);
		for (String election : MANY.subList(0, 11)) {
			pass(Duration.ofMinutes(2));
			this.locked.remove(election);
			// Enough time for the eleven others, and for the pause.
			pass(Duration.ofSeconds(40));
			assertThat(this.node.leads(election)).as(election).isTrue();
			this.node.elections().pauseMember(election, true);
			pass(Duration.ofSeconds(10));
			this.locked.add(election);
			this.node.elections().pauseMember(election, false);
		}
	}

	@Test
	void changedLeaseIsRetriedAtOnce() {
		Rival.create(this.leases, "jobs", 0, MemberNode.TTL);
		lock(List.of("jobs"));
		this.node.elections().join("jobs");
		this.node.answers().setPushed(true);
		pass(Duration.ofMinutes(1));
		ElectionMember member = this.node.elections().get("jobs");
		while (member.state().backoff().until() - this.clock.nanos() < Duration.ofSeconds(4).toNanos()) {
			pass(Duration.ofMillis(100));
		}
		// Longer than a follower waits after any failure.
		pass(Duration.ofMillis(1_200));
		this.other.elections().join("jobs");
		this.other.run();
		assertThat(this.other.elections().resign("jobs", null)).isTrue();
		this.other.run();
		assertThat(this.clock.now().isDue(member.state().backoff().until())).isFalse();
		this.locked.clear();
		this.node.answers().pushed(read("jobs"));
		this.node.run();
		assertThat(this.node.leads("jobs")).isTrue();
	}

	/**
	 * Keep leases locked: a change of one of them uses up its timeout and fails, with all
	 * other changes in the same command.
	 */
	private void lock(List<String> elections) {
		this.locked.addAll(elections);
		this.store.before((method, what, timeout) -> {
			if (what instanceof Collection<?> all && all.stream().anyMatch(this::isChangeOfLocked)) {
				this.clock.advance(timeout.toMillis());
				throw new LeaseStoreException("locked, as the test wants", null);
			}
		});
	}

	private boolean isChangeOfLocked(Object change) {
		return change instanceof Lease lease && this.locked.contains(lease.election());
	}

	/** Let time pass, including the timeouts of calls that fail. */
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

	@Test
	void oneRefusedTombstoneTriggersANewRead() {
		for (String election : MANY) {
			Lease lease = new Rival(this.leases, "gone-" + election, MemberNode.TTL).take(election);
			Rival.remove(this.stores.store(LeaseStore.SESSIONS), lease.sessionId());
		}
		MANY.forEach(this.other.elections()::join);
		MANY.forEach(this.node.elections()::join);
		// Both want to insert tombstones, and one is faster.
		this.other.perform(awaitBurial(this.other));
		StoreCall burial = awaitBurial(this.node);
		this.other.run();
		this.store.takeCalls();
		this.node.perform(burial);
		this.node.run();
		assertThat(this.store.takeCalls().stream().filter((call) -> call.startsWith("create ")).count()).isEqualTo(1);
		for (int passed = 0; passed < 11_000; passed += 100) {
			this.clock.advance(100);
			this.other.run();
		}
		assertThat(MANY).allMatch(this.other::leads);
	}

	@Test
	void failedTombstoneIsDroppedWhenTheHolderIsAlive() {
		lead(this.other);
		this.store.beBehind(true);
		this.node.elections().join("jobs");
		StoreCall burial = awaitBurial(this.node);
		this.store.failBefore();
		// The call takes so long that the next read comes before the retry.
		this.clock.advance(2_500);
		this.node.perform(burial);
		this.store.heal();
		this.store.beBehind(false);
		assertThat(leavesOpen()).isTrue();
		live(10_000);
		assertThat(this.other.leads("jobs")).isTrue();
		assertThat(leavesOpen()).isFalse();
	}

	/** Return the next call that inserts a tombstone, without making it. */
	private StoreCall awaitBurial(MemberNode node) {
		return await(StoreOperation.BURY, node);
	}

	/** Make calls until one of this kind is due, and return that without making it. */
	private StoreCall await(StoreOperation operation, MemberNode node) {
		StoreCall call = node.poll();
		while (call == null || call.operation() != operation) {
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

	private boolean leavesOpen() {
		return this.node.loop().plan(this.clock.now(), (plan) -> plan.leavesOpen(StoreOperation.READ, "jobs"));
	}

	// Candidates

	@Test
	void invalidRequestsAreRejected() {
		ElectionRegistry elections = this.node.elections();
		elections.register(this.candidate);
		assertThatIllegalArgumentException().isThrownBy(() -> elections.register(this.candidate))
			.withMessageContaining("is registered in election 'jobs' already");
		assertThatIllegalArgumentException().isThrownBy(() -> elections.register(new RecordingCandidate(" ")));
		assertThatIllegalArgumentException().isThrownBy(() -> elections.join("x".repeat(300)));
		assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> elections.get("others"));
		assertThatExceptionOfType(UnknownElectionException.class).isThrownBy(() -> elections.resign("others", null));
		assertThat(elections.unregister(new RecordingCandidate("others"))).isFalse();
		assertThat(elections.names()).containsExactly("jobs");
		elections.close();
		assertThatIllegalStateException().isThrownBy(() -> elections.register(new RecordingCandidate("others")))
			.withMessage("Can't stand in election 'others': leader election has been shut down");
		assertThatIllegalStateException().isThrownBy(() -> elections.join("jobs"));
	}

	@Test
	void termContinuesWhenOneOfSeveralCandidatesLeaves() {
		RecordingCandidate second = new RecordingCandidate("jobs");
		this.node.elections().register(second);
		lead(this.node);
		this.node.elections().unregister(second);
		this.node.run();
		assertThat(second.events()).containsExactly("elected 1", "defeated 1");
		assertThat(this.node.leads("jobs")).isTrue();
		this.node.elections().resign("jobs", null);
		this.node.run();
		assertThat(second.events()).hasSize(2);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
	}

	@Test
	void expiryDetectedDuringAHeartbeatEndsTheTermOnce() {
		lead(this.node);
		this.clock.advance(2_500);
		StoreCall beat = this.node.poll();
		this.clock.jump(Duration.ofHours(1));
		assertThat(this.node.leads("jobs")).isFalse();
		this.clock.jump(Duration.ofHours(-1));
		this.node.perform(beat);
		this.node.run();
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 EXPIRED", "elected 2");
		assertThat(this.node.heard()).containsExactly("elected jobs 1", "leader of jobs: null -> me", "defeated jobs 1",
				"leader of jobs: me -> null", "elected jobs 2", "leader of jobs: null -> me");
	}

	@Test
	void handoverIsLoggedOnceEvenIfTheAppenderResigns() {
		AtomicInteger lines = new AtomicInteger();
		this.node.elections().register(this.candidate);
		this.node.run();
		try (ThrowingAppender unused = ThrowingAppender.install((event) -> {
			if (event.getMessage().startsWith("Handing over")) {
				lines.incrementAndGet();
				this.node.elections().resign("jobs", null);
			}
			return false;
		})) {
			this.node.elections().resign("jobs", null);
			this.node.run();
		}
		assertThat(lines).hasValue(1);
		assertThat(this.candidate.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
		assertThat(read("jobs").holder()).isNull();
	}

	private void lead(MemberNode leading) {
		leading.elections().register(this.candidate);
		leading.run();
		assertThat(leading.leads("jobs")).isTrue();
	}

	/** Let time pass for both processes. */
	private void live(long millis) {
		for (long passed = 0; passed < millis; passed += 100) {
			this.clock.advance(Math.min(100, millis - passed));
			this.node.run();
			this.other.run();
		}
	}

	private ElectionStatus status(MemberNode process) {
		return process.status("jobs");
	}

	private Lease read(String election) {
		return this.leases.read(List.of(election), List.of(), MemberNode.TTL).leases().get(election);
	}

}
