package io.github.leaderelection.engine;

import java.util.function.LongPredicate;
import java.util.stream.LongStream;

import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches for a simulated day on which a flaw shows.
 */
public final class DaySearch {

	private static final long BATCH = 20;

	private DaySearch() {
	}

	/**
	 * Require that a flaw shows. Tries the known day first. If the days have changed
	 * since, it tries all others, and logs the new day.
	 */
	public static void requireShown(Object flaw, long known, long days, LongPredicate shows) {
		if (shows.test(known)) {
			return;
		}
		long shown = LongStream.range(0, days / BATCH)
			.flatMap((batch) -> LongStream.range(batch * BATCH, (batch + 1) * BATCH)
				.parallel()
				.filter(shows)
				.boxed()
				.toList()
				.stream()
				.mapToLong(Long::longValue))
			.findFirst()
			.orElse(-1);
		assertThat(shown).as("a day on which %s shows", flaw).isNotNegative();
		LoggerFactory.getLogger("simulation")
			.warn("{} is known to show on day {}, and shows on {}", flaw, known, shown);
	}

}
