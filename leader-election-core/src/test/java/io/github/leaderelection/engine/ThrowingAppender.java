package io.github.leaderelection.engine;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * A log that throws an error for certain lines.
 */
final class ThrowingAppender extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final CopyOnWriteArrayList<String> refused = new CopyOnWriteArrayList<>();

	private final Predicate<ILoggingEvent> fails;

	private ThrowingAppender(Predicate<ILoggingEvent> fails) {
		this.fails = fails;
	}

	/** Let certain lines of this library fail. */
	static ThrowingAppender install(Predicate<ILoggingEvent> fails) {
		ThrowingAppender appender = new ThrowingAppender(fails);
		appender.setName("throwing");
		appender.start();
		logger().addAppender(appender);
		return appender;
	}

	/** Return the lines that could not be written. */
	Iterable<String> refused() {
		return this.refused;
	}

	@Override
	public synchronized void doAppend(ILoggingEvent event) {
		// Not in append(), whose exceptions Logback swallows.
		if (this.fails.test(event)) {
			this.refused.add(event.getMessage());
			throw new InternalError("this line can't be written, as the test wants");
		}
	}

	@Override
	protected void append(ILoggingEvent event) {
	}

	@Override
	public void close() {
		logger().detachAppender((Appender<ILoggingEvent>) this);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.github.leaderelection");
	}

}
