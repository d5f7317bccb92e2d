package io.github.leaderelection.integration;

import java.util.HashMap;
import java.util.Map;

/**
 * What the calling thread holds of the locks of one registry, and what it has lost
 * without unlocking it.
 */
final class Grips {

	@SuppressWarnings("ThreadLocalUsage") // Each registry has locks of its own
	private final ThreadLocal<Map<String, Grip>> byName = ThreadLocal.withInitial(HashMap::new);

	/** Return what the calling thread has to do with a lock. */
	Grip of(String name) {
		return this.byName.get().computeIfAbsent(name, (key) -> new Grip());
	}

	/** Forget the lock if the calling thread has nothing to do with it. */
	void forgetIfOver(String name) {
		Map<String, Grip> own = this.byName.get();
		own.computeIfPresent(name, (key, grip) -> grip.isOver() ? null : grip);
		if (own.isEmpty()) {
			this.byName.remove();
		}
	}

	boolean isEmpty() {
		return this.byName.get().isEmpty();
	}

}
