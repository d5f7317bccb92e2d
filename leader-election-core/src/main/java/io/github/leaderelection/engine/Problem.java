package io.github.leaderelection.engine;

import org.jspecify.annotations.Nullable;

/**
 * A problem that may last for a while, and is logged when it begins.
 */
public final class Problem {

	private @Nullable String present;

	/**
	 * Return what is wrong.
	 * @return the problem, {@code null} if there is none
	 */
	public synchronized @Nullable String present() {
		return this.present;
	}

	/**
	 * Note what is wrong.
	 * @param what the problem
	 * @return whether there was none before
	 */
	public synchronized boolean begins(String what) {
		boolean news = this.present == null;
		this.present = what;
		return news;
	}

	/**
	 * Note that nothing is wrong any more.
	 * @return whether there was a problem before
	 */
	public synchronized boolean ends() {
		boolean news = this.present != null;
		this.present = null;
		return news;
	}

}
