package io.github.leaderelection.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A collection of durations, and their statistics.
 */
final class Durations {

	private final List<Long> nanos = new ArrayList<>();

	void add(long each) {
		this.nanos.add(each);
	}

	int count() {
		return this.nanos.size();
	}

	/**
	 * Return the minimum, the median, the 90th and 99th percentile and the maximum, in
	 * milliseconds, as cells of a table.
	 */
	String cells() {
		if (this.nanos.isEmpty()) {
			return "– | – | – | – | –";
		}
		Collections.sort(this.nanos);
		return "%d | %d | %d | %d | %d".formatted(millis(0), millis(0.5), millis(0.9), millis(0.99), millis(1));
	}

	/** Return a percentile by the nearest-rank method. */
	private long millis(double quantile) {
		int rank = (int) Math.ceil(quantile * this.nanos.size());
		return Math.round(this.nanos.get(Math.max(0, rank - 1)) / 1e6);
	}

}
