package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a server for something that one which is merely compatible may refuse, and for
 * something plain if it does. It is not asked again for a while then: it may have been
 * replaced by another one after that.
 */
final class Fallback {

	private static final Logger logger = LoggerFactory.getLogger(Fallback.class);

	private static final Duration VALID = Duration.ofMinutes(5);

	private final String consequence;

	/** Until when to ask for the plain thing. */
	private volatile long plainUntil = System.nanoTime();

	/**
	 * Create a fallback.
	 * @param consequence what it means that the server refuses, for people
	 */
	Fallback(String consequence) {
		this.consequence = consequence;
	}

	<T> T ask(Supplier<T> question, Supplier<T> plain) {
		if (System.nanoTime() - this.plainUntil < 0) {
			return plain.get();
		}
		try {
			return question.get();
		}
		catch (CommandRefusedException ex) {
			T answer = plain.get();
			this.plainUntil = System.nanoTime() + VALID.toNanos();
			logger.debug("{}", this.consequence, ex);
			return answer;
		}
	}

}
