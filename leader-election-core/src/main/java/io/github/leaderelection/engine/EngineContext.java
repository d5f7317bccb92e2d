package io.github.leaderelection.engine;

import java.util.List;
import java.util.concurrent.Executor;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStore;
import org.slf4j.event.Level;

/**
 * What all elections of a process share.
 *
 * @param candidateId who this process is
 * @param store where leases are kept
 * @param clock the clocks of this process
 * @param threads runs each task on a thread of its own, never the caller's
 * @param listeners hear of what happens
 * @param observers the observers among the listeners
 * @param wake lets the time pass soon: something has changed, or has been done that was
 * waited for. May be run by any thread and with any lock held; does not block
 */
record EngineContext(String candidateId, LeaseStore store, EngineClock clock, Executor threads,
		List<ElectionListener> listeners, EngineObservers observers, Runnable wake) {

	EngineContext(String candidateId, LeaseStore store, EngineClock clock, Executor threads,
			List<ElectionListener> listeners, Runnable wake) {
		this(candidateId, store, clock, threads, List.copyOf(listeners), new EngineObservers(listeners, clock), wake);
	}

	/**
	 * Return whether elections come and go by the thousand, as locks do: nothing is
	 * remembered of those that were left, since the store sees to it that terms never go
	 * back, and what happens to each is logged at debug level only. What is logged of all
	 * of them calls them locks.
	 */
	boolean ephemeral() {
		return this.store.isOfLocks();
	}

	/**
	 * Return at which level to tell what is worth this level for an election that stays.
	 */
	Level level(Level lasting) {
		return ephemeral() ? Level.DEBUG : lasting;
	}

	/**
	 * Return what follows the word "leases" in lines that are about all of them: a
	 * process may have one engine for elections and one for locks.
	 */
	String ofWhat() {
		return ephemeral() ? " of locks" : "";
	}

	Moment now() {
		return this.clock.now();
	}

}
