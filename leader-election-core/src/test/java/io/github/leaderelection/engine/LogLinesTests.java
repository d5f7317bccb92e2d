package io.github.leaderelection.engine;

import java.util.List;
import java.util.stream.IntStream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what an engine logs. What is logged of terms is in time lines.
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

}
