package io.github.leaderelection.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.store.CandidateRecord;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderElectionMetrics}: how meters show the status of an engine, and
 * what is counted.
 */
class LeaderElectionMetricsTests {

	private final ElectionEngine engine = Mockito.mock(ElectionEngine.class);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LeaderElectionMetrics metrics = new LeaderElectionMetrics(() -> this.engine);

	@Test
	void gaugesOfALeader() {
		bind(null, true,
				new ElectionStatus("x", "me", Role.LEADER, 7, null, Duration.ofSeconds(540), Duration.ofSeconds(3), 2,
						null, Duration.ofSeconds(600), false, Duration.ZERO, Duration.ofSeconds(5), Duration.ZERO,
						false, null, Duration.ZERO, List.of(), false));
		assertThat(measured()).containsExactlyInAnyOrder("watch.connected 1", "leading 1", "term 7", "calls.active 2",
				"candidates 2", "lease.remaining 540", "lease.ttl 600", "heartbeat.age 5", "observation.age 3");
	}

	@Test
	void gaugesOfAnInstanceThatHasLostItsLeadership() {
		bind(new StoreOutage(Duration.ofSeconds(9), "no answer"), false,
				new ElectionStatus("x", null, Role.LOST, 7, null, Duration.ZERO, null, 0, LossReason.EXPIRED,
						Duration.ofSeconds(600), true, Duration.ofSeconds(4), null, Duration.ofSeconds(8), false, null,
						Duration.ZERO, List.of(), false));
		assertThat(measured()).containsExactlyInAnyOrder("store.outage 9", "term 7", "callbacks.stuck 1",
				"candidates 2", "lease.ttl 600", "heartbeat.age NaN", "observation.age NaN", "leaderless 8",
				"lingering 4");
	}

	@Test
	void gaugeOfAnInstanceThatIsPaused() {
		bind(null, true,
				new ElectionStatus("x", "other", Role.PAUSED, 7, null, Duration.ZERO, Duration.ZERO, 0, null,
						Duration.ofSeconds(600), false, Duration.ZERO, null, Duration.ZERO, false, null, Duration.ZERO,
						List.of(), false));
		assertThat(measured()).contains("paused 1").doesNotContain("leading 1");
	}

	@Test
	void eventsAreCounted() {
		bind(null, false);
		TestTerm term = new TestTerm("x", 1);
		this.metrics.onElected(term.leadership());
		term.lose();
		this.metrics.onDefeated(term.leadership());
		this.metrics.onStoreCall(StoreOperation.TAKE, TimeUnit.SECONDS.toNanos(2), true);
		this.metrics.onStoreCall(StoreOperation.RENEW, TimeUnit.SECONDS.toNanos(2), false);
		this.metrics.onDrain("x", TimeUnit.SECONDS.toNanos(2), true);
		this.metrics.onDrain("x", TimeUnit.SECONDS.toNanos(2), false);
		this.metrics.onCallRefused("x", true);
		this.metrics.onCallRefused("x", false);
		this.metrics.onCallEnded("x", 1, true);
		this.metrics.onCallEnded("x", 1, false);
		// This election is unknown.
		this.metrics.onCallEnded("y", 1, false);
		assertThat(measured()).filteredOn((each) -> !each.endsWith("NaN"))
			.containsExactlyInAnyOrder("transitions elected 1", "transitions expired 1", "store.calls take answered 1",
					"store.calls renew failed 1", "drain complete 1", "drain incomplete 1", "calls rejected 1",
					"calls skipped 1", "calls interrupted 1", "calls completed 1");
	}

	@Test
	void electionWonBeforeStandIsReportedIsMeasured() {
		bind(null, false);
		Mockito.when(this.engine.elections()).thenReturn(Set.of("x", "quick"));
		this.metrics.onElected(new TestTerm("quick", 1).leadership());
		this.metrics.onStand("quick");
		assertThat(measured()).contains("transitions elected 1");
	}

	@Test
	void metersOfLeftElectionsAreRemoved() {
		bind(null, false);
		int before = this.registry.getMeters().size();
		for (int i = 0; i < 5; i++) {
			String guest = "guest-" + i;
			Mockito.when(this.engine.elections()).thenReturn(Set.of("x", guest));
			this.metrics.onStand(guest);
			this.metrics.onDrain(guest, 1, true);
		}
		assertThat(this.registry.getMeters()).hasSizeLessThanOrEqualTo(2 * before)
			.extracting((meter) -> meter.getId().getTag("election"))
			.doesNotContain("guest-0", "guest-1", "guest-2", "guest-3");
	}

	private void bind(StoreOutage outage, boolean pushed, ElectionStatus... elections) {
		EngineStatus status = new EngineStatus(outage, pushed, null, List.of(elections),
				List.of(candidate("me", Set.of()), candidate("other", Set.of()), candidate("aside", Set.of("x"))),
				List.of());
		Mockito.when(this.engine.status()).thenReturn(status);
		Mockito.when(this.engine.elections()).thenReturn(Set.of("x"));
		this.metrics.bindTo(this.registry);
	}

	private static CandidateRecord candidate(String id, Set<String> aside) {
		return new CandidateRecord(id, "shop", "web-1", null, null, Set.of("x"), null, aside);
	}

	/** Return the first measurement of each meter, unless it is zero. */
	private List<String> measured() {
		List<String> measured = new ArrayList<>();
		for (Meter meter : this.registry.getMeters()) {
			StringBuilder line = new StringBuilder(meter.getId().getName().substring("leader.election.".length()));
			for (String key : List.of("reason", "operation", "outcome")) {
				meter.getId()
					.getTags()
					.stream()
					.filter((tag) -> tag.getKey().equals(key))
					.map(Tag::getValue)
					.forEach((value) -> line.append(' ').append(value));
			}
			double value = meter.measure().iterator().next().getValue();
			if (value != 0) {
				measured.add(line + " " + (Double.isNaN(value) ? "NaN" : String.valueOf(Math.round(value))));
			}
		}
		return measured;
	}

}
