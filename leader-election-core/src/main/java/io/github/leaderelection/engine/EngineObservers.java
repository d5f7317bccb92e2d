package io.github.leaderelection.engine;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/**
 * The observers among the listeners of an engine. Never throws: an event that an observer
 * fails to handle is lost.
 */
final class EngineObservers {

	private static final EngineLog log = EngineLog.of(EngineObservers.class);

	private final List<EngineObserver> observers;

	private final EngineClock clock;

	/** The observers that have failed before. */
	private final Set<EngineObserver> failed = Collections
		.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

	EngineObservers(List<ElectionListener> listeners, EngineClock clock) {
		this.observers = listeners.stream()
			.filter(EngineObserver.class::isInstance)
			.map(EngineObserver.class::cast)
			.toList();
		this.clock = clock;
	}

	boolean isEmpty() {
		return this.observers.isEmpty();
	}

	/** Return the monotonic time, to be passed to {@link #fireEnd} later. */
	long now() {
		try {
			return isEmpty() ? 0 : this.clock.nanos();
		}
		catch (Throwable ex) {
			return 0;
		}
	}

	/** Notify all observers of an event. */
	void fire(Consumer<EngineObserver> event) {
		for (EngineObserver observer : this.observers) {
			try {
				event.accept(observer);
			}
			catch (Throwable ex) {
				report(observer, ex);
			}
		}
	}

	/** Notify all observers of an end, and of the time since the given beginning. */
	void fireEnd(long since, ObjLongConsumer<EngineObserver> event) {
		long nanos = now() - since;
		fire((observer) -> event.accept(observer, nanos));
	}

	private void report(EngineObserver observer, Throwable failure) {
		if (this.failed.add(observer)) {
			log.tell(failure,
					(logger, cause) -> logger.error(
							"Observer {} of leader election failed; further failures of it are not logged", observer,
							cause));
		}
	}

}
