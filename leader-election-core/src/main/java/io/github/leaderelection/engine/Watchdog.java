package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Breaks off calls of the store that do not return. Each has a time limit, which a driver
 * may forget when it loses the connection in the wrong moment: then nothing but an
 * interrupt ends the call, and without that this process would never lead again.
 */
final class Watchdog {

	private static final EngineLog log = EngineLog.of(Watchdog.class);

	// Guarded by this

	private @Nullable Thread caller;

	private long latest;

	/** The current thread begins a call. */
	synchronized void begin(Duration patience, Moment now) {
		this.latest = now.plus(patience).nanos();
		this.caller = Thread.currentThread();
	}

	/** The current thread has ended its call, and is not to be interrupted any more. */
	synchronized void end() {
		this.caller = null;
		boolean unused = Thread.interrupted();
	}

	/** Interrupt the call that is under way, if it has taken longer than it may. */
	void check(Duration patience, Moment now) {
		if (interrupt(patience, now)) {
			log.tell((logger) -> logger.warn("A call of the store has not returned long after its time limit; it is "
					+ "broken off, and tried again"));
		}
	}

	private synchronized boolean interrupt(Duration patience, Moment now) {
		Thread thread = this.caller;
		if (thread == null || !now.isDue(this.latest)) {
			return false;
		}
		this.latest = now.plus(patience).nanos();
		thread.interrupt();
		return true;
	}

}
