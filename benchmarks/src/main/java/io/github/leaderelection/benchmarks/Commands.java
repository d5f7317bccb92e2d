package io.github.leaderelection.benchmarks;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;

/**
 * The number of commands that clients have sent.
 *
 * @param byName the number of commands of each name
 */
record Commands(Map<String, Long> byName) {

	static final Commands NONE = new Commands(Map.of());

	long total() {
		return this.byName.values().stream().mapToLong(Long::longValue).sum();
	}

	long of(String name) {
		return this.byName.getOrDefault(name, 0L);
	}

	Commands plus(Commands other) {
		return combine(other, (a, b) -> a + b);
	}

	Commands minus(Commands other) {
		return combine(other, (a, b) -> a - b);
	}

	private Commands combine(Commands other, LongBinaryOperator operator) {
		Map<String, Long> combined = new TreeMap<>(this.byName);
		other.byName.keySet().forEach((name) -> combined.putIfAbsent(name, 0L));
		combined.replaceAll((name, number) -> operator.applyAsLong(number, other.of(name)));
		return new Commands(combined);
	}

	/**
	 * Describe how many there were of each, the most frequent first.
	 * @param divisor the number by which each count is divided
	 */
	String describe(double divisor) {
		return this.byName.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() > 0)
			.sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
			.map((entry) -> "%s %s".formatted(entry.getKey(), Samples.number(entry.getValue() / divisor)))
			.collect(Collectors.joining(", "));
	}

	/** Return a text that {@link #parse} can read. */
	String format() {
		return this.byName.entrySet()
			.stream()
			.map((entry) -> entry.getKey() + "=" + entry.getValue())
			.collect(Collectors.joining(" "));
	}

	static Commands parse(String text) {
		Map<String, Long> byName = new TreeMap<>();
		for (String each : text.strip().split(" ", -1)) {
			int sign = each.indexOf('=');
			if (sign > 0) {
				byName.put(each.substring(0, sign), Long.parseLong(each.substring(sign + 1)));
			}
		}
		return new Commands(byName);
	}

}
