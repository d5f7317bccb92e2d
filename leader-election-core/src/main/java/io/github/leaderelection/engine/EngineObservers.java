package io.github.leaderelection.engine;

import java.util.List;
import java.util.function.Consumer;

/**
 * The observers among the listeners of an engine. Where there are none, nothing is
 * measured and no object made. Nothing here throws: what can't be observed is lost.
 */
final class EngineObservers {

	/** Nobody. */
	static final EngineObservers NONE = new EngineObservers(List.of(), EngineClock.SYSTEM);

	private static final EngineLog log = EngineLog.of(EngineObservers.class);

	private final List<Watched> observers;

	private final EngineClock clock;

	EngineObservers(List<ElectionListener> listeners, EngineClock clock) {
		this.observers = listeners.stream()
			.filter(EngineObserver.class::isInstance)
			.map((listener) -> new Watched((EngineObserver) listener))
			.toList();
		this.clock = clock;
	}

	boolean isEmpty() {
		return this.observers.isEmpty();
	}

	/** Return the monotonic time, to be handed back when what begins now has ended. */
	long now() {
		try {
			return isEmpty() ? 0 : this.clock.nanos();
		}
		catch (Throwable ex) {
			return 0;
		}
	}

	void stands(String election) {
		if (isEmpty()) {
			return;
		}
		try {
			tell((observer) -> observer.onStand(election));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void storeCall(StoreOperation operation, long since, boolean answered) {
		if (isEmpty()) {
			return;
		}
		try {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onStoreCall(operation, nanos, answered));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void takeover(String election, boolean won) {
		if (isEmpty()) {
			return;
		}
		try {
			tell((observer) -> observer.onTakeover(election, won));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void drain(String election, long nanos, boolean complete) {
		if (isEmpty()) {
			return;
		}
		try {
			tell((observer) -> observer.onDrain(election, nanos, complete));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void callback(String election, EngineObserver.Callback callback, long since, boolean failure) {
		if (isEmpty()) {
			return;
		}
		try {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onCallback(election, callback, nanos, failure));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void callRefused(String election, boolean rejected) {
		if (isEmpty()) {
			return;
		}
		try {
			tell((observer) -> observer.onCallRefused(election, rejected));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	void callEnded(String election, long since, boolean interrupted) {
		if (isEmpty()) {
			return;
		}
		try {
			long nanos = this.clock.nanos() - since;
			tell((observer) -> observer.onCallEnded(election, nanos, interrupted));
		}
		catch (Throwable ex) {
			// It is not observed.
		}
	}

	private void tell(Consumer<EngineObserver> event) {
		for (Watched observer : this.observers) {
			observer.tell(event);
		}
	}

	/** An observer, and whether it has failed before. */
	private static final class Watched {

		private final EngineObserver observer;

		private volatile boolean failed;

		Watched(EngineObserver observer) {
			this.observer = observer;
		}

		void tell(Consumer<EngineObserver> event) {
			try {
				event.accept(this.observer);
			}
			catch (Throwable ex) {
				boolean news = !this.failed;
				this.failed = true;
				if (news) {
					log.tell(ex,
							(logger, cause) -> logger.error(
									"Observer {} of leader election failed; further failures of it are not logged",
									this.observer, cause));
				}
			}
		}

	}

}
