package io.github.leaderelection.engine;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the log, and never throws, whether the logger fails or an object that is
 * asked for its text. Callers act first and log last: a log line reports what was done,
 * and must not keep it from being done.
 */
public final class EngineLog {

	private final Logger logger;

	private EngineLog(Logger logger) {
		this.logger = logger;
	}

	/**
	 * Return the log of a class.
	 * @param type the class
	 * @return its log
	 */
	public static EngineLog of(Class<?> type) {
		return new EngineLog(LoggerFactory.getLogger(type));
	}

	/**
	 * Write a line, if possible.
	 * @param line writes it
	 */
	public void tell(Consumer<Logger> line) {
		try {
			line.accept(this.logger);
		}
		catch (Throwable ex) {
			// There is nowhere left to report this.
		}
	}

	/**
	 * Write a line with its cause, or with a substitute for a cause that can't be
	 * written.
	 * @param cause the cause
	 * @param line writes it
	 */
	public void tell(Throwable cause, BiConsumer<Logger, Throwable> line) {
		try {
			line.accept(this.logger, cause);
		}
		catch (Throwable ex) {
			try {
				line.accept(this.logger, new IndescribableException(cause));
			}
			catch (Throwable again) {
				// There is nowhere left to report this.
			}
		}
	}

	/**
	 * Return the message of a failure, or its class name if it fails to return a message.
	 * @param failure the failure
	 * @return its message
	 */
	public static String messageOf(Throwable failure) {
		try {
			return String.valueOf(failure.getMessage());
		}
		catch (Throwable ex) {
			return failure.getClass().getName();
		}
	}

	/** Replaces a failure that throws when it is asked to describe itself. */
	private static final class IndescribableException extends RuntimeException {

		IndescribableException(Throwable failure) {
			super(failure.getClass().getName() + ", whose message can't be read", null, false, false);
		}

	}

}
