package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.InMemoryLeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what lines of the log carry.
 */
class LogLinesTests {

	private final CopyOnWriteArrayList<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			LogLinesTests.this.lines.add(event);
		}

	};

	private final TestEngines engines = new TestEngines(new InMemoryLeaseStore());

	@BeforeEach
	void listen() {
		this.appender.start();
		logger().addAppender(this.appender);
	}

	@AfterEach
	void close() {
		logger().detachAppender(this.appender);
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

	private ILoggingEvent awaitLine(String start) {
		await().until(() -> this.lines.stream().anyMatch((line) -> line.getMessage().startsWith(start)));
		return this.lines.stream().filter((line) -> line.getMessage().startsWith(start)).findFirst().orElseThrow();
	}

	private static Map<String, Object> pairs(ILoggingEvent line) {
		return line.getKeyValuePairs()
			.stream()
			.collect(Collectors.toMap((KeyValuePair pair) -> pair.key, (pair) -> pair.value));
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(Participation.class.getPackageName());
	}

}
