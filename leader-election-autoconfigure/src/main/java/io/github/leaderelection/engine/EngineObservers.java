package io.github.leaderelection.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The observers among the listeners of an engine. Where there are none, nothing is
 * measured and no object made.
 */
final class EngineObservers {

	/** Nobody. */
	static final EngineObservers NONE = new EngineObservers(List.of(), EngineClock.SYSTEM);

	private static final Logger logger = LoggerFactory.getLogger(EngineObservers.class);

	private final List<EngineObserver> observers;

	private final EngineClock clock;

	private final Set<EngineObserver> failed = ConcurrentHashMap.newKeySet();

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

	/** Return the monotonic time, to be handed back when what begins now has ended. */
	long now() {
		return isEmpty() ? 0 : this.clock.nanos();
	}

	void stands(String election) {
		if (!isEmpty()) {
			tell((observer) -> observer.onStand(election));
		}
	}

	void storeCall(StoreOperation operation, long since, boolean answered) {
		if (!isEmpty()) {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onStoreCall(operation, nanos, answered));
		}
	}

	void takeover(String election, boolean won) {
		if (!isEmpty()) {
			tell((observer) -> observer.onTakeover(election, won));
		}
	}

	void drain(String election, long nanos, boolean complete) {
		if (!isEmpty()) {
			tell((observer) -> observer.onDrain(election, nanos, complete));
		}
	}

	void callback(String election, EngineObserver.Callback callback, long since, boolean failure) {
		if (!isEmpty()) {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onCallback(election, callback, nanos, failure));
		}
	}

	void callRefused(String election, boolean rejected) {
		if (!isEmpty()) {
			tell((observer) -> observer.onCallRefused(election, rejected));
		}
	}

	void callEnded(String election, long since, boolean interrupted) {
		if (!isEmpty()) {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onCallEnded(election, nanos, interrupted));
		}
	}

	private void tell(Consumer<EngineObserver> event) {
		for (EngineObserver observer : this.observers) {
			try {
				event.accept(observer);
			}
			catch (Throwable ex) {
				if (this.failed.add(observer)) {
					logger.error("Observer {} of leader election failed; further failures of it are not logged",
							observer, ex);
				}
			}
		}
	}

}
