package io.github.leaderelection.engine;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.support.TypeBasedParameterResolver;
import org.junit.jupiter.api.extension.ParameterContext;
import org.slf4j.LoggerFactory;

/**
 * Passes tests the {@link CapturedLog} that they declare as a parameter.
 */
public final class LogCapture extends TypeBasedParameterResolver<CapturedLog>
		implements BeforeEachCallback, AfterEachCallback {

	private static final Namespace NAMESPACE = Namespace.create(LogCapture.class);

	@Override
	public void beforeEach(ExtensionContext context) {
		CapturedLog log = new CapturedLog((LoggerContext) LoggerFactory.getILoggerFactory());
		context.getStore(NAMESPACE).put(CapturedLog.class, log);
		logger().addAppender(log.appender());
	}

	@Override
	public CapturedLog resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return context.getStore(NAMESPACE).get(CapturedLog.class, CapturedLog.class);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		logger().detachAppender(context.getStore(NAMESPACE).get(CapturedLog.class, CapturedLog.class).appender());
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.github.leaderelection");
	}

}
