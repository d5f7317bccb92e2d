package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.event.KeyValuePair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what lines of the log carry.
 */
@ExtendWith(LogCapture.class)
class LogLinesTests {

	private CapturedLog log;

	private final TestEngines engines = new TestEngines(LeaseStore.forElections(new InMemoryRecordStores(), ""));

	@BeforeEach
	void listen(CapturedLog log) {
		this.log = log;
	}

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void changesOfLeadershipCarryElectionTermAndCandidate() {
		ElectionEngine engine = this.engines.start("first");
		engine.stand("jobs");
		await().until(() -> engine.isLeader("jobs"));
		engine.resign("jobs");
		ILoggingEvent elected = awaitLine("Elected");
		assertThat(elected.getLevel()).isEqualTo(Level.INFO);
		assertThat(elected.getFormattedMessage()).isEqualTo("Elected: this instance leads 'jobs' in term 1");
		assertThat(pairs(elected)).isEqualTo(Map.of("election", "jobs", "term", 1L, "candidate", engine.candidateId()));
		assertThat(pairs(awaitLine("Handing over"))).containsEntry("election", "jobs")
			.containsEntry("term", 1L)
			.containsEntry("candidate", engine.candidateId())
			.containsEntry("reason", LossReason.RESIGNED);
	}

	@Test
	void lossCarriesItsReason() {
		ElectionEngine engine = this.engines.start("first");
		engine.stand("jobs");
		await().until(() -> engine.isLeader("jobs"));
		this.engines.advance(Duration.ofHours(1).toMillis());
		ILoggingEvent lost = awaitLine("Lost leadership");
		assertThat(lost.getLevel()).isEqualTo(Level.WARN);
		assertThat(pairs(lost)).isEqualTo(Map.of("election", "jobs", "term", 1L, "candidate", engine.candidateId(),
				"reason", LossReason.EXPIRED));
	}

	@Test
	void failureOfACandidateCarriesElectionTermAndCandidate() {
		ElectionEngine engine = this.engines.start("first");
		engine.register(new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new IllegalStateException("expected by the test");
			}

		});
		ILoggingEvent failed = awaitLine("Candidate {} failed when elected");
		assertThat(failed.getLevel()).isEqualTo(Level.ERROR);
		assertThat(failed.getThrowableProxy().getMessage()).isEqualTo("expected by the test");
		assertThat(pairs(failed)).isEqualTo(Map.of("election", "jobs", "term", 1L, "candidate", engine.candidateId()));
		assertThat(pairs(awaitLine("Handing over"))).containsEntry("reason", LossReason.CALLBACK_FAILED);
	}

	@Test
	void startTellsElectionsAndWhereLeasesAreKept() {
		ElectionEngine engine = this.engines.create("first", this.engines.clock());
		engine.stand("b");
		engine.stand("a");
		engine.start();
		assertThat(messages("Standing"))
			.containsExactly("Standing in elections 'a' and 'b' as first; leases are kept in memory");
		engine.stand("a");
		engine.stand("late");
		assertThat(messages("Standing")).last().isEqualTo("Standing in election 'late' as well");
		assertThat(messages("Standing")).hasSize(2);
	}

	@Test
	void cleanShutdownTellsThatTheLeaseWasReleased() {
		ElectionEngine engine = this.engines.start("first");
		engine.stand("jobs");
		await().until(() -> engine.isLeader("jobs"));
		engine.close();
		assertThat(messages("Handing over"))
			.containsExactly("Handing over 'jobs', term 1: SHUTDOWN; no calls in flight");
		ILoggingEvent released = awaitLine("Released");
		assertThat(released.getLevel()).isEqualTo(Level.INFO);
		assertThat(released.getFormattedMessage()).isEqualTo("Released 'jobs', term 1: others can lead at once");
		assertThat(pairs(released)).isEqualTo(Map.of("election", "jobs", "term", 1L, "candidate", "first"));
	}

	@Test
	void followerTellsOncePerChangeWhoLeads() {
		ElectionEngine leader = this.engines.start("first");
		leader.stand("jobs");
		await().until(() -> leader.isLeader("jobs"));
		ElectionEngine follower = this.engines.start("second");
		follower.stand("jobs");
		awaitLine("Following");
		this.engines.advance(1_000);
		await().until(() -> follower.leader("jobs").isPresent());
		leader.close();
		await().until(() -> follower.isLeader("jobs"));
		assertThat(messages("Following first")).containsExactly("Following first, who leads 'jobs' in term 1");
		assertThat(messages("Nobody leads"))
			.containsExactly("Nobody leads 'jobs' any more; the last leader was first, which has released the lease");
	}

	@Test
	void shutdownTellsWhichCallsItWaitsFor() {
		ElectionEngine engine = this.engines.start("first");
		engine.stand("jobs");
		await().until(() -> engine.isLeader("jobs"));
		GatedCall named = engine.enter("jobs", false);
		named.describe("Jobs.run");
		named.detach(null);
		this.engines.advance(2_000);
		GatedCall unnamed = engine.enter("jobs", false);
		unnamed.detach(null);
		engine.prepareClose();
		engine.prepareClose();
		named.close();
		unnamed.close();
		engine.close();
		assertThat(messages("Shutting down")).singleElement()
			.asString()
			.startsWith("Shutting down: waiting for 2 calls in flight: ")
			.contains("Jobs.run for 2 s", "a call under 'jobs' for 0 s");
	}

	@Test
	void callsAreCountedInWords() {
		assertThat(LogLines.callsInFlight(0)).isEqualTo("no calls in flight");
		assertThat(LogLines.callsInFlight(1)).isEqualTo("1 call in flight");
		assertThat(LogLines.callsInFlight(2)).isEqualTo("2 calls in flight");
		assertThat(LogLines.elections(List.of())).isEqualTo("no election so far");
		assertThat(LogLines.elections(List.of("b", "c", "a"))).isEqualTo("elections 'a', 'b' and 'c'");
		assertThat(LogLines.elections(IntStream.range(0, 10_000).mapToObj(Integer::toString).toList()))
			.endsWith(" and 9980 more")
			.hasSizeLessThan(200);
	}

	private List<String> messages(String start) {
		return this.log.events()
			.stream()
			.map(ILoggingEvent::getFormattedMessage)
			.filter((line) -> line.startsWith(start))
			.toList();
	}

	private ILoggingEvent awaitLine(String start) {
		await().until(() -> this.log.events().stream().anyMatch((line) -> line.getMessage().startsWith(start)));
		return this.log.events()
			.stream()
			.filter((line) -> line.getMessage().startsWith(start))
			.findFirst()
			.orElseThrow();
	}

	private static Map<String, Object> pairs(ILoggingEvent line) {
		return line.getKeyValuePairs()
			.stream()
			.collect(Collectors.toMap((KeyValuePair pair) -> pair.key, (pair) -> pair.value));
	}

}
