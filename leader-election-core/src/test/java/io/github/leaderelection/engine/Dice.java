package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * All that is left to chance in a simulation, from one seed.
 */
final class Dice {

	private final Random random;

	Dice(long seed) {
		// Neighbouring seeds of the generator begin alike.
		this.random = new Random(seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L);
	}

	/** Return whether what happens once in so many cases happens; never for 0. */
	boolean onceIn(int cases) {
		return cases > 0 && this.random.nextInt(cases) == 0;
	}

	int below(int bound) {
		return this.random.nextInt(bound);
	}

	int between(int least, int most) {
		return least + this.random.nextInt(most - least + 1);
	}

	/** Return nanoseconds up to the duration. */
	long upTo(Duration most) {
		return this.random.nextLong(most.toNanos() + 1);
	}

	<T> T pick(List<T> choices) {
		return choices.get(this.random.nextInt(choices.size()));
	}

	void shuffle(List<?> list) {
		Collections.shuffle(list, this.random);
	}

}
