package io.github.leaderelection.engine;

import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a watch on all leases open, and passes on what it shows. A hint only: while there
 * is none the leases are read more often.
 */
final class LeaseWatcher implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(LeaseWatcher.class);

	private static final long RETRY_NANOS = 1_000_000_000L;

	private static final long RETRY_UNSUPPORTED_NANOS = 300 * RETRY_NANOS;

	private final LeaseStore store;

	private final Elections elections;

	private final Signal stop = new Signal();

	private volatile boolean stopped;

	/** Whether the reason why nothing can be pushed has been logged. */
	private boolean reported;

	LeaseWatcher(LeaseStore store, Elections elections) {
		this.store = store;
		this.elections = elections;
	}

	void stop() {
		this.stopped = true;
		this.stop.raise();
	}

	@Override
	public void run() {
		while (!this.stopped) {
			long pause = RETRY_NANOS;
			try {
				watch();
			}
			catch (UnsupportedOperationException ex) {
				pause = RETRY_UNSUPPORTED_NANOS;
				if (!this.reported) {
					this.reported = true;
					logger.info("Changes of leases are not pushed, they are polled for: {}", ex.getMessage());
				}
			}
			catch (LeaseStoreException ex) {
				logger.debug("The watch of leases broke; polling until it is open again", ex);
			}
			catch (Throwable ex) {
				// Whatever it is, without this thread nothing would be pushed any more.
				if (!this.stopped && !this.reported) {
					this.reported = true;
					logger.warn("The watch of leases failed; polling until it is open again", ex);
				}
			}
			if (this.elections.isPushed()) {
				this.elections.setPushed(false);
			}
			pause(pause);
		}
	}

	private void watch() {
		try (LeaseWatch watch = this.store.watch()) {
			this.reported = false;
			// Changes from before the watch was open are not shown: look once.
			this.elections.setPushed(true);
			while (!this.stopped) {
				LeaseChange change = watch.next();
				if (change != null && change.lease() != null) {
					this.elections.noticed(change.lease());
				}
				else if (change != null) {
					this.elections.lookAgain();
				}
			}
		}
	}

	private void pause(long nanos) {
		if (this.stopped) {
			return;
		}
		try {
			this.stop.await(nanos);
		}
		catch (InterruptedException ex) {
			// Only stop() ends this thread.
			logger.trace("Interrupted while pausing", ex);
		}
	}

}
