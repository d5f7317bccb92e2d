package io.github.leaderelection.benchmarks;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * Measured times, in milliseconds.
 */
final class Samples {

	/** The titles of {@link #columns()}. */
	static final List<String> TITLES = List.of("number", "min", "median", "p90", "p99", "max");

	private final double[] sorted;

	Samples(Collection<Double> millis) {
		this.sorted = millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
	}

	/**
	 * Return the smallest value that the given percentage of values does not exceed.
	 */
	double percentile(double percent) {
		int rank = (int) Math.ceil(percent / 100 * this.sorted.length);
		return this.sorted[Math.max(0, rank - 1)];
	}

	List<String> columns() {
		return List.of(Integer.toString(this.sorted.length), format(this.sorted[0]), format(percentile(50)),
				format(percentile(90)), format(percentile(99)), format(this.sorted[this.sorted.length - 1]));
	}

	/** Format a number with about three significant digits. */
	static String format(double value) {
		double size = Math.abs(value);
		int digits = (size >= 100) ? 0 : (size >= 10) ? 1 : 2;
		return String.format(Locale.ROOT, "%." + digits + "f", value);
	}

	/** Format a number, without decimals if it is an integer. */
	static String number(double value) {
		return (value == Math.rint(value)) ? String.format(Locale.ROOT, "%.0f", value) : format(value);
	}

	double median() {
		return percentile(50);
	}

	@Override
	public String toString() {
		return Arrays.toString(this.sorted);
	}

}
