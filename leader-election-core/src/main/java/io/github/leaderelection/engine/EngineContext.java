package io.github.leaderelection.engine;

import java.util.List;
import java.util.concurrent.Executor;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStore;
import org.slf4j.event.Level;

/**
 * What all elections of an engine share.
 *
 * @param candidateId who this process is
 * @param store where leases are kept
 * @param clock the clocks of this process
 * @param threads runs each task on a thread of its own, never the caller's
 * @param listeners the listeners to notify
 * @param observers the observers among the listeners
 * @param wake causes a turn soon: something has changed, or something that was waited for
 * is done. May be run by any thread and with any lock held; does not block
 */
record EngineContext(String candidateId, LeaseStore store, EngineClock clock, Executor threads,
		List<ElectionListener> listeners, EngineObservers observers, Runnable wake) {

	EngineContext(String candidateId, LeaseStore store, EngineClock clock, Executor threads,
			List<ElectionListener> listeners, Runnable wake) {
		this(candidateId, store, clock, threads, List.copyOf(listeners), new EngineObservers(listeners, clock), wake);
	}

	/**
	 * Return whether this engine is for locks, which come and go by the thousand. Nothing
	 * is remembered of a lock that was left, since the store keeps its terms from going
	 * back. What happens to a single lock is logged at debug level only, and log lines
	 * about all of them say that they are about locks.
	 */
	boolean ephemeral() {
		return this.store.isOfLocks();
	}

	/**
	 * Return the level at which to log what is logged at the given level for an election
	 * that lasts.
	 */
	Level level(Level lasting) {
		return ephemeral() ? Level.DEBUG : lasting;
	}

	/**
	 * Return what follows the word "leases" in log lines about all of them: a process can
	 * have one engine for elections and one for locks.
	 */
	String ofWhat() {
		return ephemeral() ? " of locks" : "";
	}

	Moment now() {
		return this.clock.now();
	}

}
