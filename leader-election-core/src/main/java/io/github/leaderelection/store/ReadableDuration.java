package io.github.leaderelection.store;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.StringJoiner;

/**
 * Writes durations for people: {@code 250 ms}, {@code 3 s}, {@code 2 min 17 s},
 * {@code 1 d}.
 */
public final class ReadableDuration {

	private ReadableDuration() {
	}

	/**
	 * Return a measured duration without needless detail: no seconds after hours, no
	 * milliseconds after minutes.
	 * @param duration the duration, of either sign
	 * @return the duration, rounded towards zero
	 */
	public static String of(Duration duration) {
		return sign(duration) + exactSize(rounded(size(duration)));
	}

	/**
	 * Return a configured duration in full.
	 * @param duration the duration, of either sign
	 * @return the duration
	 */
	public static String exact(Duration duration) {
		return sign(duration) + exactSize(size(duration));
	}

	private static String sign(Duration duration) {
		return duration.isNegative() ? "-" : "";
	}

	/** Return the absolute value. That of the least duration would overflow. */
	private static Duration size(Duration duration) {
		return (duration.toSeconds() == Long.MIN_VALUE) ? Duration.ofSeconds(Long.MAX_VALUE) : duration.abs();
	}

	private static Duration rounded(Duration size) {
		if (size.toDays() > 0) {
			return size.truncatedTo(ChronoUnit.HOURS);
		}
		if (size.toHours() > 0) {
			return size.truncatedTo(ChronoUnit.MINUTES);
		}
		if (size.toMinutes() > 0) {
			return size.truncatedTo(ChronoUnit.SECONDS);
		}
		if (size.toSeconds() > 0) {
			return size.minusNanos(size.toNanosPart() % 100_000_000);
		}
		return (size.toMillis() > 0) ? size.truncatedTo(ChronoUnit.MILLIS) : size;
	}

	private static String exactSize(Duration size) {
		StringJoiner parts = new StringJoiner(" ");
		add(size.toDaysPart(), "d", parts);
		add(size.toHoursPart(), "h", parts);
		add(size.toMinutesPart(), "min", parts);
		BigDecimal seconds = BigDecimal.valueOf(size.toSecondsPart()).add(BigDecimal.valueOf(size.toNanosPart(), 9));
		if (parts.length() == 0 && size.toSeconds() == 0 && !size.isZero()) {
			parts.add(plain(seconds.movePointRight(3)) + " ms");
		}
		else if (parts.length() == 0 || seconds.signum() > 0) {
			parts.add(plain(seconds) + " s");
		}
		return parts.toString();
	}

	private static void add(long number, String unit, StringJoiner parts) {
		if (number > 0) {
			parts.add(number + " " + unit);
		}
	}

	private static String plain(BigDecimal number) {
		return number.stripTrailingZeros().toPlainString();
	}

}
