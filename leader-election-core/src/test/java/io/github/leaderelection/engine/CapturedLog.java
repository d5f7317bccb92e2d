package io.github.leaderelection.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;

/**
 * What the library logs during a test, with level, logger, keys, values and stack trace.
 */
public final class CapturedLog implements CharSequence {

	private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

	private final Queue<String> lines = new ConcurrentLinkedQueue<>();

	private final PatternLayoutEncoder encoder = new PatternLayoutEncoder();

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			byte[] encoded = CapturedLog.this.encoder.encode(event);
			CapturedLog.this.lines.add(new String(encoded, StandardCharsets.UTF_8));
			CapturedLog.this.events.add(event);
		}

	};

	CapturedLog(LoggerContext context) {
		this.encoder.setContext(context);
		this.encoder.setCharset(StandardCharsets.UTF_8);
		this.encoder.setPattern("%level %logger - %msg %kvp%n");
		this.encoder.start();
		this.appender.setContext(context);
		this.appender.start();
	}

	AppenderBase<ILoggingEvent> appender() {
		return this.appender;
	}

	/** Return the events, with their keys and values. */
	public List<ILoggingEvent> events() {
		return List.copyOf(this.events);
	}

	@Override
	public int length() {
		return toString().length();
	}

	@Override
	public char charAt(int index) {
		return toString().charAt(index);
	}

	@Override
	public CharSequence subSequence(int start, int end) {
		return toString().subSequence(start, end);
	}

	@Override
	public String toString() {
		return this.lines.stream().collect(Collectors.joining());
	}

}
