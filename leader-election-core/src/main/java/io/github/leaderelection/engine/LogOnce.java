package io.github.leaderelection.engine;

import java.util.HashSet;
import java.util.Set;

/**
 * Knows what has been logged of something that goes on, or fails again and again: each
 * kind of it is logged once, until it is over.
 */
final class LogOnce {

	/** Of very many kinds, these show what is wrong. */
	private static final int MOST_KINDS = 8;

	private final Set<Object> logged = new HashSet<>();

	/**
	 * Return whether to log this, and remember that it was.
	 * @param kind what it is, unlike what else goes on at the same time
	 * @return whether it was not logged before
	 */
	public synchronized boolean isNews(Object kind) {
		return this.logged.size() < MOST_KINDS && this.logged.add(kind);
	}

	/**
	 * It is over: whatever comes is news.
	 */
	public synchronized void over() {
		this.logged.clear();
	}

}
