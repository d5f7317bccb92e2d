package io.github.leaderelection.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongPredicate;

import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Measures graceful changes of leader on three nodes, from when the old leader's release
 * was written to when the new leader's candidate was told of its election; and how long
 * there was no leader altogether, from when the old leader's candidate was told of its
 * defeat. What was measured is logged; set {@code handovers.stops} to measure more of
 * those at which a process ends.
 */
@Tag("deep")
class HandoverTimesIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(HandoverTimesIntegrationTests.class);

	private static final int RESIGNATIONS = 10;

	private static final int STOPS = Integer.getInteger("handovers.stops", 2);

	@Test
	void aGracefulChangeLeavesTheElectionWithoutALeaderForAMoment() {
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3);
				SampleCluster cluster = new SampleCluster(mongo, "handover", "--leader-election.cooldown=500ms")) {
			cluster.start(3);
			List<Handover> resignations = new ArrayList<>();
			for (int i = 0; i < RESIGNATIONS; i++) {
				SampleProcess leader = cluster.awaitLeader("market-feed");
				resignations.add(observe(cluster, leader, () -> assertThat(leader.resign("market-feed")).isTrue()));
			}
			List<Handover> stops = new ArrayList<>();
			for (int i = 0; i < STOPS; i++) {
				cluster.start(3 - cluster.living().size());
				SampleProcess leader = cluster.awaitLeader("market-feed");
				stops.add(observe(cluster, leader, leader::terminate));
				leader.awaitEnd();
			}
			report("resignations", resignations, cluster);
			report("stops", stops, cluster);
			cluster.assertTermsFollowEachOther();
			cluster.assertNoAlarms();
		}
	}

	private static Handover observe(SampleCluster cluster, SampleProcess leader, Runnable change) {
		long term = leader.election("market-feed").term();
		change.run();
		// Who can't tell whether it has a lease takes it again, so terms may be left out.
		Instant elected = SampleCluster.await("next leader")
			.until(() -> first(cluster, "Connected to the market feed in term ", (number) -> number > term),
					Objects::nonNull);
		Instant defeated = first(cluster, "Disconnected from the market feed in term ", (number) -> number == term);
		return new Handover(defeated, elected);
	}

	private static Instant first(SampleCluster cluster, String message, LongPredicate term) {
		return cluster.processes()
			.stream()
			.flatMap((process) -> process.log().containing(message).stream())
			.filter((entry) -> term.test(Long.parseLong(entry.message().substring(message.length()).split(":")[0])))
			.map(SampleLog.Entry::time)
			.findFirst()
			.orElse(null);
	}

	private static void report(String what, List<Handover> handovers, SampleCluster cluster) {
		List<Instant> releases = cluster.releases("market-feed");
		List<Duration> fromRelease = handovers.stream().map((handover) -> handover.fromRelease(releases)).toList();
		List<Duration> fromDefeat = handovers.stream().map(Handover::fromDefeat).toList();
		logger.info("Handover by {} {}, ms from release: {}", handovers.size(), what, summary(fromRelease));
		logger.info("Handover by {} {}, ms without a leader: {}", handovers.size(), what, summary(fromDefeat));
		// Of speed this asserts only that nobody waited for a lease to run out.
		assertThat(fromDefeat).allMatch((time) -> time.compareTo(Duration.ofSeconds(4)) < 0);
	}

	private static String summary(List<Duration> times) {
		List<Long> sorted = times.stream().map(Duration::toMillis).sorted().toList();
		return "median %d, min %d, max %d; all %s".formatted(sorted.get(sorted.size() / 2), sorted.get(0),
				sorted.get(sorted.size() - 1), sorted);
	}

	/**
	 * One change of leader.
	 *
	 * @param defeated when the old leader's candidate was told
	 * @param elected when the new leader's candidate was told
	 */
	private record Handover(Instant defeated, Instant elected) {

		Duration fromDefeat() {
			return Duration.between(this.defeated, this.elected);
		}

		Duration fromRelease(List<Instant> releases) {
			Instant released = releases.stream()
				.filter((release) -> !release.isBefore(this.defeated) && !release.isAfter(this.elected))
				.findFirst()
				.orElseThrow();
			return Duration.between(released, this.elected);
		}

	}

}
