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

	private Set<Object> logged = Set.of();

	/**
	 * Return whether to log this, and remember that it was.
	 * @param kind what it is, unlike what else goes on at the same time
	 * @return whether it was not logged before
	 */
	public synchronized boolean isNews(Object kind) {
		if (this.logged.size() == MOST_KINDS) {
			return false;
		}
		Set<Object> known = new HashSet<>(this.logged);
		boolean news = known.add(kind);
		this.logged = known;
		return news;
	}

	/**
	 * It is over: whatever comes is news.
	 */
	public synchronized void over() {
		this.logged = Set.of();
	}

}
