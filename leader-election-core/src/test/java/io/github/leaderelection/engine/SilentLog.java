package io.github.leaderelection.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Turns off the library's log during a test class: what it logs on bad days does not
 * matter.
 */
public final class SilentLog implements BeforeAllCallback, AfterAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		setLevel(Level.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		setLevel(null);
	}

	private static void setLevel(Level level) {
		((Logger) LoggerFactory.getLogger("io.github.leaderelection")).setLevel(level);
	}

}
