package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;

/**
 * Asks leaderships about a thousand times a second whether they are held. It writes down
 * the times before and after the question when the answer has changed, and now and then
 * when it has not. It also resigns when a request file appears.
 */
final class Observer {

	private static final long PAUSE_NANOS = 1_000_000;

	private static final long STILL_HELD_NANOS = 20_000_000;

	private static final int PAUSES_BETWEEN_REQUESTS = 50;

	private final HistoryWriter history;

	private final Path file;

	private final Map<Leadership, Observed> observed = new ConcurrentHashMap<>();

	Observer(HistoryWriter history, Path file) {
		this.history = history;
		this.file = file;
	}

	/**
	 * Return the file whose existence asks a candidate to resign.
	 */
	static Path resignation(Path history, String election) {
		return history.resolveSibling(history.getFileName() + ".resign-" + election);
	}

	void start(LeaderElection elections) {
		Thread thread = new Thread(() -> run(elections), "observer");
		thread.setDaemon(true);
		thread.start();
	}

	void observe(Leadership leadership) {
		this.observed.computeIfAbsent(leadership, Observed::new);
	}

	private void run(LeaderElection elections) {
		for (int count = 0; true; count++) {
			for (String election : elections.elections()) {
				elections.leadership(election).ifPresent(this::observe);
				if (count % PAUSES_BETWEEN_REQUESTS == 0) {
					resignIfAsked(elections, election);
				}
			}
			this.observed.values().forEach(Observed::ask);
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

	private void resignIfAsked(LeaderElection elections, String election) {
		try {
			if (Files.deleteIfExists(resignation(this.file, election))) {
				this.history.write("resigns", election, elections.resign(election));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The observations of one leadership. An ended one is still asked: it must not
	 * revive.
	 */
	private final class Observed {

		private final Leadership leadership;

		private long written;

		private long heldBefore;

		private long heldAfter;

		private boolean ended;

		Observed(Leadership leadership) {
			this.leadership = leadership;
		}

		void ask() {
			long before = System.nanoTime();
			boolean held = this.leadership.isHeld();
			long after = System.nanoTime();
			if (held) {
				if (this.ended) {
					write(after, "revived", before);
				}
				if (this.written == 0 || after - this.written > STILL_HELD_NANOS) {
					write(after, "held", before);
					this.written = after;
				}
				this.heldBefore = before;
				this.heldAfter = after;
			}
			else if (!this.ended) {
				if (this.heldAfter != 0) {
					write(this.heldAfter, "held", this.heldBefore);
				}
				write(after, "ended", before);
				this.ended = true;
			}
		}

		private void write(long nanos, String event, long before) {
			Observer.this.history.write(nanos, event, this.leadership.election(), this.leadership.term(), before);
		}

	}

}
