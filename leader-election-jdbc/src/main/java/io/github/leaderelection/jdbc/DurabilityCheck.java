package io.github.leaderelection.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, after the first call and then hourly, whether the database keeps the changes
 * that it acknowledges: all guarantees depend on that. Logs its findings when they differ
 * from the last ones. Each check has a thread of its own, so that no call waits for it.
 */
final class DurabilityCheck {

	private static final Logger logger = LoggerFactory.getLogger(DurabilityCheck.class);

	private static final Duration INTERVAL = Duration.ofHours(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Finds the weaknesses, within a time limit. */
	private final Function<Duration, List<String>> weaknesses;

	private final AtomicLong due = new AtomicLong(System.nanoTime());

	private volatile List<String> told = List.of();

	DurabilityCheck(Function<Duration, List<String>> weaknesses) {
		this.weaknesses = weaknesses;
	}

	/** Start a check if one is due. */
	void runIfDue() {
		long now = System.nanoTime();
		long planned = this.due.get();
		if (now - planned < 0 || !this.due.compareAndSet(planned, now + INTERVAL.toNanos())) {
			return;
		}
		try {
			Thread thread = new Thread(this::run, "leader-election-durability");
			thread.setDaemon(true);
			thread.start();
		}
		catch (RuntimeException | Error ex) {
			// The call that got here has succeeded, and must not fail because of this.
			logger.debug("The durability check could not be started; it will be tried again", ex);
		}
	}

	private void run() {
		try {
			List<String> found = this.weaknesses.apply(TIMEOUT);
			if (!found.isEmpty() && !found.equals(this.told)) {
				logger.warn(
						"The database may lose committed changes, and with them who leads in which term: {}. "
								+ "Elections, locks and jobs go on, but there may be more than one leader at a time",
						String.join("; ", found));
			}
			this.told = found;
		}
		catch (RuntimeException ex) {
			logger.debug("The durability check failed; it will be tried again", ex);
		}
	}

}
