package io.github.leaderelection.store;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes durations for people: {@code 250 ms}, {@code 3 s}, {@code 2 min 17 s},
 * {@code 1 d}.
 */
public final class ReadableDuration {

	private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

	private ReadableDuration() {
	}

	/**
	 * Return a duration that was measured, without what nobody wants to know of it:
	 * seconds of hours, or milliseconds of minutes.
	 * @param duration the duration, of either sign
	 * @return the duration, rounded towards zero
	 */
	public static String of(Duration duration) {
		return exact(truncated(duration));
	}

	/**
	 * Return a duration that was set, with all that there is of it.
	 * @param duration the duration, of either sign
	 * @return the duration
	 */
	public static String exact(Duration duration) {
		BigDecimal total = seconds(duration).abs();
		List<String> parts = new ArrayList<>();
		BigDecimal rest = take(total, ChronoUnit.DAYS, "d", parts);
		rest = take(rest, ChronoUnit.HOURS, "h", parts);
		rest = take(rest, ChronoUnit.MINUTES, "min", parts);
		if (parts.isEmpty() && rest.signum() > 0 && rest.compareTo(BigDecimal.ONE) < 0) {
			parts.add(plain(rest.multiply(THOUSAND)) + " ms");
		}
		else if (parts.isEmpty() || rest.signum() > 0) {
			parts.add(plain(rest) + " s");
		}
		return (duration.isNegative() ? "-" : "") + String.join(" ", parts);
	}

	private static Duration truncated(Duration duration) {
		BigDecimal size = seconds(duration).abs();
		BigDecimal unit = unit(size);
		BigDecimal left = size.subtract(size.remainder(unit));
		if (left.signum() == 0) {
			return duration;
		}
		Duration result = Duration.ofSeconds(left.longValue(),
				left.remainder(BigDecimal.ONE).movePointRight(9).longValue());
		return duration.isNegative() ? result.negated() : result;
	}

	/** Return the least unit of interest, in seconds. */
	private static BigDecimal unit(BigDecimal size) {
		if (size.compareTo(seconds(ChronoUnit.DAYS)) >= 0) {
			return seconds(ChronoUnit.HOURS);
		}
		if (size.compareTo(seconds(ChronoUnit.HOURS)) >= 0) {
			return seconds(ChronoUnit.MINUTES);
		}
		if (size.compareTo(seconds(ChronoUnit.MINUTES)) >= 0) {
			return BigDecimal.ONE;
		}
		return (size.compareTo(BigDecimal.ONE) >= 0) ? new BigDecimal("0.1") : new BigDecimal("0.001");
	}

	private static BigDecimal take(BigDecimal from, ChronoUnit unit, String symbol, List<String> parts) {
		BigDecimal[] number = from.divideAndRemainder(seconds(unit));
		if (number[0].signum() > 0) {
			parts.add(plain(number[0]) + " " + symbol);
		}
		return number[1];
	}

	private static BigDecimal seconds(ChronoUnit unit) {
		return BigDecimal.valueOf(unit.getDuration().toSeconds());
	}

	private static BigDecimal seconds(Duration duration) {
		return BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
	}

	private static String plain(BigDecimal number) {
		return number.stripTrailingZeros().toPlainString();
	}

}
