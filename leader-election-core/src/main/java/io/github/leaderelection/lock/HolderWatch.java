package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.ElectionEngine;

/**
 * Lets those who want locks stand in their elections. Who leaves while another process
 * holds the lock goes on watching that one, without wanting the lock: otherwise nobody
 * could tell at the next attempt whether it has crashed since. That ends soon after the
 * lock was given back, or after some time.
 */
final class HolderWatch {

	private final ElectionEngine engine;

	private final Duration interval;

	private final Duration longest;

	private final Executor threads;

	/** Those who have left, by the names of the locks. Guarded by this. */
	private final Map<String, Candidate> watching = new HashMap<>();

	/**
	 * Create an instance that watches nobody.
	 * @param interval how often to look whether there is something to watch
	 * @param longest for how long to watch at most
	 * @param threads runs what takes its time
	 */
	HolderWatch(ElectionEngine engine, Duration interval, Duration longest, Executor threads) {
		this.engine = engine;
		this.interval = interval;
		this.longest = longest;
		this.threads = threads;
	}

	synchronized void register(Candidate line) {
		this.engine.register(line);
		Candidate watching = this.watching.remove(line.election());
		if (watching != null) {
			this.engine.resume(line.election());
			this.engine.unregister(watching);
		}
	}

	synchronized void unregister(Candidate line) {
		if (!isHeldElsewhere(line)) {
			this.engine.unregister(line);
			return;
		}
		this.watching.put(line.election(), line);
		this.engine.pause(line.election());
		lookLater(line, System.nanoTime() + this.longest.toNanos());
	}

	private boolean isHeldElsewhere(Candidate line) {
		try {
			return this.engine.leader(line.election())
				.filter((leader) -> !leader.equals(this.engine.candidateId()))
				.isPresent();
		}
		catch (UnknownElectionException ex) {
			return false;
		}
	}

	private void lookLater(Candidate line, long until) {
		CompletableFuture.delayedExecutor(this.interval.toNanos(), TimeUnit.NANOSECONDS, this.threads)
			.execute(() -> look(line, until));
	}

	private synchronized void look(Candidate line, long until) {
		if (!line.equals(this.watching.get(line.election()))) {
			return;
		}
		if (isHeldElsewhere(line) && System.nanoTime() - until < 0) {
			lookLater(line, until);
		}
		else {
			this.watching.remove(line.election());
			this.engine.unregister(line);
		}
	}

}
