package io.github.leaderelection.engine;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way to the log from here. Nothing that goes wrong with a line gets past it,
 * whether the logger throws or what is asked for its text. Whoever logs has acted before:
 * a line tells what was done, and must not keep it from being done.
 */
public final class EngineLog {

	private final Logger logger;

	private EngineLog(Logger logger) {
		this.logger = logger;
	}

	/**
	 * Return what writes lines in the name of a class.
	 * @param type the class
	 * @return its log
	 */
	public static EngineLog of(Class<?> type) {
		return new EngineLog(LoggerFactory.getLogger(type));
	}

	/**
	 * Write a line, if that is possible.
	 * @param line writes it
	 */
	public void tell(Consumer<Logger> line) {
		try {
			line.accept(this.logger);
		}
		catch (Throwable ex) {
			// There is nobody left to be told.
		}
	}

	/**
	 * Write a line with its cause, or with a stand-in for one that can't be written.
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
				// There is nobody left to be told.
			}
		}
	}

	/**
	 * Return what a failure says, or what it is if it does not say it.
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

	/** Takes the place of a failure that fails itself when it is asked what it is. */
	private static final class IndescribableException extends RuntimeException {

		IndescribableException(Throwable failure) {
			super(failure.getClass().getName() + ", which can't be described", null, false, false);
		}

	}

}
