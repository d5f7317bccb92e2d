package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Supplier;

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

	private Duration patience = Duration.ZERO;

	private long latest;

	/**
	 * Make a call, and break it off when it has taken longer than this.
	 * @param now a time before it is made
	 */
	<T extends @Nullable Object> T guard(Duration longest, Moment now, Supplier<T> call) {
		begin(longest, now);
		try {
			return call.get();
		}
		finally {
			end();
		}
	}

	private synchronized void begin(Duration longest, Moment now) {
		this.patience = longest;
		this.latest = now.plus(longest).nanos();
		this.caller = Thread.currentThread();
	}

	/** The current thread has ended its call, and is not to be interrupted any more. */
	private synchronized void end() {
		this.caller = null;
		boolean unused = Thread.interrupted();
	}

	/** Interrupt the call that is under way, if it has taken longer than it may. */
	void check(Moment now) {
		if (interrupt(now)) {
			log.tell((logger) -> logger
				.warn("A store call has not returned long after its time limit; interrupting it and trying again"));
		}
	}

	private synchronized boolean interrupt(Moment now) {
		Thread thread = this.caller;
		if (thread == null || !now.isDue(this.latest)) {
			return false;
		}
		this.latest = now.plus(this.patience).nanos();
		thread.interrupt();
		return true;
	}

}
