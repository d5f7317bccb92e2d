package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * All random choices of a simulation, from one seed.
 */
public final class Dice {

	private final Random random;

	public Dice(long seed) {
		// The generator starts with similar numbers for adjacent seeds.
		this.random = new Random(seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L);
	}

	/** Return {@code true} once in that many cases on average; never for 0. */
	public boolean onceIn(int cases) {
		return cases > 0 && this.random.nextInt(cases) == 0;
	}

	public int below(int bound) {
		return this.random.nextInt(bound);
	}

	public int between(int least, int most) {
		return least + this.random.nextInt(most - least + 1);
	}

	/** Return a random number of nanoseconds, up to the duration. */
	public long upTo(Duration most) {
		return this.random.nextLong(most.toNanos() + 1);
	}

	public <T> T pick(List<T> choices) {
		return choices.get(this.random.nextInt(choices.size()));
	}

	void shuffle(List<?> list) {
		Collections.shuffle(list, this.random);
	}

}
