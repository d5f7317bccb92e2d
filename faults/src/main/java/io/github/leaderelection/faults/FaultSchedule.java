package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.leaderelection.faults.FaultKind.Side;

/**
 * Deals the kinds of fault like a shuffled deck: each comes once before any comes again.
 * Some are dealt in pairs, one of each side, so that they overlap.
 */
final class FaultSchedule {

	/** Never combined: with another fault it would not show the time to heal. */
	private static final FaultKind ALONE = FaultKind.LEADER_KILLED;

	private final Random random;

	private final double pairs;

	private final List<FaultKind> kinds;

	private final List<FaultKind> deck = new ArrayList<>();

	/**
	 * Create a schedule.
	 * @param pairs the share of rounds with two faults, 0 to 1
	 */
	FaultSchedule(long seed, List<FaultKind> kinds, double pairs) {
		this.random = new Random(seed);
		this.pairs = pairs;
		this.kinds = List.copyOf(kinds);
	}

	/**
	 * Return the faults of the next round, in the order in which they begin.
	 */
	List<Planned> next() {
		if (this.deck.isEmpty()) {
			this.deck.addAll(this.kinds);
			Collections.shuffle(this.deck, this.random);
		}
		List<FaultKind> dealt = new ArrayList<>(List.of(this.deck.remove(0)));
		Side other = (dealt.get(0).side() == Side.CANDIDATES) ? Side.SERVERS : Side.CANDIDATES;
		if (dealt.get(0) != ALONE && this.random.nextDouble() < this.pairs) {
			this.deck.stream()
				.filter((kind) -> kind.side() == other && kind != ALONE)
				.findFirst()
				.ifPresent(dealt::add);
			this.deck.removeAll(dealt);
		}
		return dealt.stream().map(this::plan).toList();
	}

	/**
	 * Plan a fault. Most last longer than a leader can go without a renewal, some do not.
	 * Locks may be held for longer.
	 */
	private Planned plan(FaultKind kind) {
		int longest = (kind == FaultKind.ROWS_LOCKED) ? 30_000 : 7000;
		int millis = (kind.isMomentary() || this.random.nextInt(4) == 0) ? this.random.nextInt(300, 2500)
				: this.random.nextInt(5400, longest);
		return new Planned(kind, Duration.ofMillis(this.random.nextInt(1000)), Duration.ofMillis(millis));
	}

	/**
	 * Return how long to wait before the next round.
	 */
	Duration peace() {
		return Duration.ofMillis(this.random.nextInt(200, 1000));
	}

	/**
	 * Choose an element at random.
	 */
	<T> T choose(List<T> among) {
		return among.get(this.random.nextInt(among.size()));
	}

	/**
	 * A fault to inject.
	 *
	 * @param kind the kind of fault
	 * @param delay how long to wait before it
	 * @param length how long it lasts
	 */
	record Planned(FaultKind kind, Duration delay, Duration length) {

	}

}
