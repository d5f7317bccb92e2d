package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.Session;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for who has a session: whoever leads, and one process that stands by. The TTL is
 * 10 s, and sessions that hold nothing of interest are read every 30 s.
 */
class StandByTests {

	private static final Duration TWO_LISTINGS = Duration.ofSeconds(75);

	private final ManualClock clock = new ManualClock();

	private final InMemoryRecordStores stores = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.clock.millis()));

	private final RecordLeaseStore leases = RecordLeaseStore.forElections(this.stores, "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final MemberNode first = new MemberNode("shop@a:1", this.leases, this.clock);

	private final MemberNode second = new MemberNode("shop@b:1", this.leases, this.clock);

	private final MemberNode third = new MemberNode("shop@c:1", this.store, this.clock);

	private List<MemberNode> nodes = List.of(this.first, this.second, this.third);

	@BeforeEach
	void makeKnown() {
		this.nodes.forEach((node) -> node.directory(this::candidates));
	}

	@Test
	void oneStandsByAndTheOthersCloseTheirSessions() {
		join();
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:1", "shop@c:1");
		pass(TWO_LISTINGS);
		assertThat(this.first.leads("jobs")).isTrue();
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:1");
		this.store.takeCalls();
		pass(Duration.ofSeconds(60));
		assertThat(this.store.takeCalls()).isNotEmpty()
			.allMatch((call) -> call.equals("watch") || call.startsWith("read"));
	}

	@Test
	void whoeverStandsByTakesOverAtOnce() {
		join();
		pass(TWO_LISTINGS);
		this.first.elections().resign("jobs");
		this.nodes.forEach(MemberNode::run);
		this.second.answers().pushedRemoval("jobs");
		this.third.answers().pushedRemoval("jobs");
		this.third.run();
		assertThat(this.third.leads("jobs")).as("it lets the other go first").isFalse();
		this.second.run();
		assertThat(this.second.leads("jobs")).isTrue();
		pass(TWO_LISTINGS);
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:1");
	}

	@Test
	void anotherTakesOverWhenWhoeverStandsByCannot() {
		join();
		pass(TWO_LISTINGS);
		this.second.elections().pauseMember("jobs", true);
		this.first.elections().resign("jobs");
		this.nodes.forEach(MemberNode::run);
		this.third.answers().pushedRemoval("jobs");
		this.third.run();
		this.clock.advance(62);
		this.third.run();
		assertThat(this.third.leads("jobs")).as("after a sixteenth of a poll interval").isTrue();
	}

	@Test
	void whoeverTheLeaseIsLeftToWaitsForNobody() {
		join();
		pass(TWO_LISTINGS);
		this.first.elections().resign("jobs", this.third.id());
		this.first.run();
		this.third.answers().pushedRemoval("jobs");
		this.third.run();
		assertThat(this.third.leads("jobs")).as("at once, though it has no session yet").isTrue();
	}

	@Test
	void whoeverIsPausedDoesNotStandBy() {
		join();
		this.second.elections().pauseMember("jobs", true);
		pass(TWO_LISTINGS);
		assertThat(alive()).containsExactly("shop@a:1", "shop@c:1");
	}

	@Test
	void whoeverStandsInAnotherElectionDoesNotStandBy() {
		this.first.elections().join("jobs");
		this.first.run();
		this.second.elections().join("mails");
		this.third.elections().join("jobs");
		this.third.elections().join("mails");
		pass(TWO_LISTINGS);
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:1", "shop@c:1");
	}

	@Test
	void sessionOfWhoeverIsNoCandidateIsNoStandby() {
		this.leases.create(Session.first("shop@b:2", 7, MemberNode.TTL), MemberNode.TTL);
		this.nodes = List.of(this.first, this.third);
		join();
		for (int revision = 2; revision < 20; revision++) {
			pass(Duration.ofSeconds(5));
			this.leases.renew(new Session("shop@b:2", 7, revision, MemberNode.TTL, null, false), MemberNode.TTL);
		}
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:2", "shop@c:1");
	}

	@Test
	void whoeverHandsOverStandsByAtFirst() {
		this.nodes = List.of(this.second, this.first);
		join();
		pass(TWO_LISTINGS);
		assertThat(this.second.leads("jobs")).isTrue();
		this.second.elections().resign("jobs");
		pass(Duration.ofSeconds(20));
		assertThat(this.first.leads("jobs")).isTrue();
		assertThat(alive()).containsExactly("shop@a:1", "shop@b:1");
	}

	@Test
	void whoeverGoesOnUnderAnotherSessionAndRestsIsNotGone() {
		join();
		pass(TWO_LISTINGS);
		this.nodes = List.of(this.second, this.third);
		pass(Duration.ofSeconds(15));
		assertThat(this.second.leads("jobs") || this.third.leads("jobs")).isTrue();
		this.nodes = List.of(this.first, this.second, this.third);
		pass(TWO_LISTINGS);
		for (int i = 0; i < 60; i++) {
			pass(Duration.ofSeconds(10));
			assertThat(this.nodes).allMatch((node) -> node.elections().gone(this.clock.now()).isEmpty());
		}
	}

	@Test
	void anotherStandsByWhenTheFirstHasCrashed() {
		join();
		pass(TWO_LISTINGS);
		this.nodes = List.of(this.first, this.third);
		pass(TWO_LISTINGS);
		assertThat(alive()).contains("shop@a:1", "shop@c:1");
	}

	@Test
	void processesOfAnotherApplicationStandByForThemselves() {
		MemberNode other = new MemberNode("bank@z:1", this.leases, this.clock);
		other.directory(this::candidates);
		this.nodes = List.of(this.first, this.second, other);
		this.first.elections().join("jobs");
		this.second.elections().join("jobs");
		other.elections().join("transfers");
		pass(TWO_LISTINGS);
		assertThat(alive()).containsExactly("bank@z:1", "shop@a:1", "shop@b:1");
	}

	@Test
	void sessionIsKeptForAWhileThoughNothingIsToBeLed() {
		RecordingCandidate brief = new RecordingCandidate("lock");
		this.nodes = List.of(this.third);
		for (int i = 0; i < 5; i++) {
			this.third.elections().register(brief);
			this.third.run();
			assertThat(this.third.leads("lock")).isTrue();
			this.third.elections().unregister(brief);
			this.third.run();
			this.clock.advance(100);
		}
		assertThat(this.store.takeCalls())
			.filteredOn((call) -> call.startsWith("create shop@c:1") || call.equals("close"))
			.hasSize(1);
		pass(Duration.ofSeconds(5));
		assertThat(alive()).isEmpty();
	}

	private void join() {
		for (MemberNode node : this.nodes) {
			node.elections().join("jobs");
			node.run();
		}
	}

	private List<CandidateRecord> candidates() {
		return Stream.of(this.first, this.second, this.third)
			.map((node) -> new CandidateRecord(node.id(), "shop", "host", 1, null, null, node.elections().names(), null,
					null, node.elections().paused(), null))
			.toList();
	}

	private List<String> alive() {
		Stream<Session> sessions = this.leases.sessions(List.of(), true, MemberNode.TTL).sessions().values().stream();
		return sessions.filter((session) -> !session.ended()).map(Session::candidate).sorted().toList();
	}

	private void pass(Duration duration) {
		for (long left = duration.toMillis(); left > 0; left -= 100) {
			this.clock.advance(100);
			this.nodes.forEach(MemberNode::run);
		}
	}

}
