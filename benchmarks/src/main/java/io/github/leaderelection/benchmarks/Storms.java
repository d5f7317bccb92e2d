package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import io.github.leaderelection.benchmarks.Fleet.Elected;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * Measures what happens when a process that leads all elections is killed.
 */
final class Storms {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration INTERVAL = ElectionSettings.of(TTL).renewInterval();

	/**
	 * The result depends on how soon after a heartbeat the leader is killed.
	 */
	private static final int MOMENTS = 5;

	private Storms() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws Exception {
		report.title("Storm");
		report.paragraph(
				"""
						One process leads all elections, with a TTL of 20 s, and candidates in another process follow, one of which stands by. The first process is
						killed. With 100 elections, this is done %d times, at moments spread evenly between two heartbeats; the targets are about the medians.
						Commands are those of all followers from the kill until all elections are led again. Lost are changes that found a record other than
						expected, mostly because another candidate came first. The start is that of the process, including its JVM and client. Most commands read
						sessions: each follower sends one per two `renew-interval`s, one when the TTL is over, and one to see the new leader.
						"""
					.formatted(MOMENTS));
		report.table(List.of("elections", "followers", "led after the start", "led again after", "less the TTL",
				"commands", "by name", "lost"));
		List<Storm> hundred = new ArrayList<>();
		int storms = Rounds.of(MOMENTS);
		for (int i = 0; i < storms; i++) {
			hundred.add(measure(mongo, report, 100, 49, INTERVAL.multipliedBy(i).dividedBy(storms)));
		}
		report.measured(Target.STORM, median(hundred, Storm::beyond));
		report.measured(Target.STORM_COMMANDS, median(hundred, Storm::commands));
		report.measured(Target.STORM_LOST, median(hundred, Storm::lost));
		Storm many = measure(mongo, report, 10_000, 2, Duration.ZERO);
		report.measured(Target.MANY_LED, many.start());
		report.measured(Target.MANY_LED_AGAIN, many.beyond());
	}

	private static double median(List<Storm> storms, Function<Storm, Double> what) {
		return new Samples(storms.stream().map(what).toList()).median();
	}

	/**
	 * Measure one storm.
	 * @param after how long after the time of a heartbeat to kill the leader
	 */
	private static Storm measure(MongoReplicaSet mongo, Report report, int elections, int followers, Duration after)
			throws Exception {
		long begun = System.nanoTime();
		try (Fleet fleet = new Fleet(mongo.uri(), elections, TTL);
				VictimProcess victim = VictimProcess.start(mongo.uri(), fleet.database(), elections, TTL)) {
			double start = (System.nanoTime() - begun) / 1e9;
			fleet.follow(followers);
			fleet.rest();
			awaitMoment(after);
			Commands commands = fleet.commands().count();
			long misses = fleet.commands().misses();
			long killed = victim.kill();
			Fleet.await(() -> fleet.elected().size() >= elections);
			Commands needed = fleet.commands().count().minus(commands);
			long lost = fleet.commands().misses() - misses;
			double seconds = (fleet.elected().stream().mapToLong(Elected::nanos).max().orElseThrow() - killed) / 1e9;
			double beyond = seconds - TTL.toSeconds();
			report.row(List.of(String.format(Locale.ROOT, "%,d", elections), Integer.toString(followers),
					Samples.format(start) + " s", Samples.format(seconds) + " s", Samples.format(beyond) + " s",
					Long.toString(needed.total()), needed.describe(1), Long.toString(lost)));
			return new Storm(start, beyond, needed.total(), lost);
		}
	}

	/**
	 * Heartbeats are sent at multiples of their interval by the clock of the store, which
	 * runs on this machine.
	 */
	private static void awaitMoment(Duration after) throws InterruptedException {
		Thread.sleep(Math.floorMod(after.toMillis() - System.currentTimeMillis(), INTERVAL.toMillis()));
	}

	/**
	 * The result of one storm.
	 *
	 * @param start from the start of the leader until it led all, in seconds
	 * @param beyond from the kill until all were led again, less the TTL, in seconds
	 */
	private record Storm(double start, double beyond, double commands, double lost) {

	}

}
