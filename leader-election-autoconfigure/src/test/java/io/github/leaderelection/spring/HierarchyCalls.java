package io.github.leaderelection.spring;

import org.jspecify.annotations.Nullable;

/**
 * Where made-up methods tell that they have run.
 */
public final class HierarchyCalls {

	private static @Nullable String last;

	private HierarchyCalls() {
	}

	/** Called by each method, with its name. */
	public static void ran(String method) {
		if (last == null) {
			last = method;
		}
	}

	/** Return the first that has run since asked before, or {@code null}. */
	static @Nullable String take() {
		String taken = last;
		last = null;
		return taken;
	}

}
