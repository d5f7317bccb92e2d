package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts store calls that do not return. Each call has a time limit, but a driver may
 * lose track of it when the connection breaks at the wrong moment. Then only an interrupt
 * ends the call, and without one this process would never lead again (R4).
 */
final class Watchdog {

	private static final EngineLog log = EngineLog.of(Watchdog.class);

	private static final Duration GRACE = Duration.ofSeconds(1);

	// Guarded by this

	private @Nullable Thread caller;

	private Duration patience = Duration.ZERO;

	private long latest;

	/** Whether the call was found to be overdue before. */
	private boolean overdue;

	/**
	 * Make a call, to be interrupted by {@link #check} if it takes too long.
	 * @param longest how long the call may take
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
		this.overdue = false;
		this.caller = Thread.currentThread();
	}

	/**
	 * End the call: the thread is no longer interrupted, and loses an interrupt that came
	 * late.
	 */
	private synchronized void end() {
		this.caller = null;
		boolean unused = Thread.interrupted();
	}

	/**
	 * Interrupt the call that is under way, if it has taken too long, and takes longer
	 * still: after a pause of the process, the answer may be there already.
	 */
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
		boolean again = this.overdue;
		this.overdue = true;
		this.latest = now.plus(again ? this.patience : GRACE).nanos();
		if (again) {
			thread.interrupt();
		}
		return again;
	}

}
