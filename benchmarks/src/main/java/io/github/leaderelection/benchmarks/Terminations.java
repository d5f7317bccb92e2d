package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Measures handovers of processes that receive SIGTERM.
 */
final class Terminations {

	private static final Duration TTL = Duration.ofSeconds(4);

	private Terminations() {
	}

	static List<Termination> measure(String uri, int number) throws Exception {
		List<Termination> terminations = new ArrayList<>();
		Random random = new Random(1);
		for (int i = 0; i < Rounds.of(number); i++) {
			try (Fleet fleet = new Fleet(uri, 1, TTL);
					VictimProcess leader = VictimProcess.start(uri, fleet.database(), 1, TTL)) {
				fleet.follow(2);
				// A random moment between two renewals, once the followers listen.
				Thread.sleep(500 + random.nextLong(TTL.toMillis() / 4));
				long terminated = leader.terminate();
				Fleet.await(() -> fleet.latest().isPresent());
				long elected = fleet.latest().orElseThrow().nanos();
				terminations.add(new Termination(elected - terminated, elected - leader.awaitEnd()));
			}
		}
		return terminations;
	}

	/**
	 * How long there was no leader, in nanoseconds.
	 *
	 * @param sinceSignal since the signal was sent
	 * @param sinceHook since the leader's shutdown hook began
	 */
	record Termination(long sinceSignal, long sinceHook) {

	}

}
