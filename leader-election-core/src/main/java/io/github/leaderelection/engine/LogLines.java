package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Lines of the log that carry what they are about as key-values too, for logs that are
 * kept in a structure.
 */
final class LogLines {

	private LogLines() {
	}

	static LoggingEventBuilder about(Leadership term, LoggingEventBuilder line) {
		return about(term.election(), term.candidateId(), line).addKeyValue("term", term.term());
	}

	static LoggingEventBuilder about(String election, String candidateId, LoggingEventBuilder line) {
		return line.addKeyValue("election", election).addKeyValue("candidate", candidateId);
	}

}
