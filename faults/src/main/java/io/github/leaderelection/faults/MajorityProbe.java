package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes one change after another, which only faults of the servers can prevent, and
 * writes down whether each was acknowledged: when it ended, and when it was sent.
 */
final class MajorityProbe implements AutoCloseable {

	static final String ANSWERED = "answered";

	private static final String SILENT = "silent";

	private static final long INTERVAL_MILLIS = 100;

	private final CountDownLatch stop = new CountDownLatch(1);

	private final HistoryWriter history;

	private final Servers.Probe probe;

	private final Thread thread = new Thread(this::run, "majority-probe");

	/**
	 * Start the probe.
	 * @param probe makes the changes; closed at the end
	 */
	MajorityProbe(Servers.Probe probe, Path file) {
		this.history = new HistoryWriter(file);
		this.probe = probe;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		try {
			while (!this.stop.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
				long sent = System.nanoTime();
				this.history.write(this.probe.isAnswered() ? ANSWERED : SILENT, sent);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.stop.countDown();
		try {
			this.thread.join(TimeUnit.SECONDS.toMillis(10));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.probe.close();
	}

}
