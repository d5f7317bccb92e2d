package io.github.leaderelection.job;

import org.jspecify.annotations.Nullable;

/**
 * Something that may be wrong for a while, and is worth a line in the log when that
 * begins.
 */
final class Problem {

	private @Nullable String present;

	/** Return what is wrong, {@code null} if nothing is. */
	synchronized @Nullable String present() {
		return this.present;
	}

	/** Note what is wrong, and return whether nothing was before. */
	synchronized boolean begins(String what) {
		boolean news = this.present == null;
		this.present = what;
		return news;
	}

	/** Note that nothing is wrong, and return whether something was before. */
	synchronized boolean ends() {
		boolean news = this.present != null;
		this.present = null;
		return news;
	}

}
