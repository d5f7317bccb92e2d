package io.github.leaderelection.engine;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.protocol.Moment;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Log lines that also carry their subject as key-value pairs, for structured logging.
 */
final class LogLines {

	/** There may be thousands of names or calls. */
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

	/** Return "Jobs.run for 12 s, Jobs.tidy for 3 s", and how many more there are. */
	static String longest(List<GatedCall> calls, Moment now) {
		String first = calls.stream()
			.sorted(Comparator.comparingLong(GatedCall::startedAt))
			.limit(MOST_NAMES)
			.map((call) -> call.description(now.nanos()))
			.collect(Collectors.joining(", "));
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
