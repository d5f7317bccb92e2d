package io.github.leaderelection.engine;

import java.util.Collection;
import java.util.List;

import io.github.leaderelection.Leadership;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Lines of the log that carry what they are about as key-values too, for logs that are
 * kept in a structure.
 */
final class LogLines {

	/** There may be thousands. */
	private static final int MOST_NAMES = 20;

	private LogLines() {
	}

	static LoggingEventBuilder about(Leadership term, LoggingEventBuilder line) {
		return about(term.election(), term.candidateId(), line).addKeyValue("term", term.term());
	}

	/** Return "1 call in flight", "2 calls in flight", or "no calls in flight". */
	static String callsInFlight(int number) {
		return switch (number) {
			case 0 -> "no calls in flight";
			case 1 -> "1 call in flight";
			default -> number + " calls in flight";
		};
	}

	/** Return "a, b, c", or "a, b, c and 7 more" where there are too many. */
	static String some(List<String> calls) {
		String first = String.join(", ", calls.subList(0, Math.min(calls.size(), MOST_NAMES)));
		return (calls.size() > MOST_NAMES) ? first + " and %d more".formatted(calls.size() - MOST_NAMES) : first;
	}

	/** Return "election 'a'", "elections 'a' and 'b'", or "no election so far". */
	static String elections(Collection<String> names) {
		List<String> quoted = names.stream().sorted().limit(MOST_NAMES).map("'%s'"::formatted).toList();
		int others = names.size() - quoted.size();
		if (others > 0) {
			return "elections %s and %d more".formatted(String.join(", ", quoted), others);
		}
		return switch (quoted.size()) {
			case 0 -> "no election so far";
			case 1 -> "election " + quoted.get(0);
			default -> "elections %s and %s".formatted(String.join(", ", quoted.subList(0, quoted.size() - 1)),
					quoted.get(quoted.size() - 1));
		};
	}

	static LoggingEventBuilder about(String election, String candidateId, LoggingEventBuilder line) {
		return line.addKeyValue("election", election).addKeyValue("candidate", candidateId);
	}

}
