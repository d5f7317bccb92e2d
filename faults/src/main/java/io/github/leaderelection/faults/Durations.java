package io.github.leaderelection.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Some durations, to be summed up.
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
	 * Return the least, the median, the 90th and 99th percentile and the greatest, in
	 * milliseconds, as cells of a table.
	 */
	String cells() {
		if (this.nanos.isEmpty()) {
			return "– | – | – | – | –";
		}
		Collections.sort(this.nanos);
		return "%d | %d | %d | %d | %d".formatted(millis(0), millis(0.5), millis(0.9), millis(0.99), millis(1));
	}

	/** By the nearest rank. */
	private long millis(double quantile) {
		int rank = (int) Math.ceil(quantile * this.nanos.size());
		return Math.round(this.nanos.get(Math.max(0, rank - 1)) / 1e6);
	}

}
