package io.github.leaderelection.engine;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.Surroundings.Source;

/**
 * Is told of all events, and may throw each time.
 */
final class SimulatedListener {

	/** The terms of whose end it has not been told. */
	private final Map<String, Leadership> leading = new HashMap<>();

	private final Surroundings surroundings;

	private final Consumer<String> complaints;

	/**
	 * Create a listener.
	 * @param complaints receives what the listener should not have been told
	 */
	SimulatedListener(Surroundings surroundings, Consumer<String> complaints) {
		this.surroundings = surroundings;
		this.complaints = complaints;
	}

	/** Return whether it was last told that this process leads. */
	boolean knowsLeader(String election) {
		return this.leading.containsKey(election);
	}

	/** Return the listener as the engine calls it. */
	EngineObserver observer() {
		return (EngineObserver) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { EngineObserver.class }, (proxy, method, arguments) -> {
					if (method.getDeclaringClass() == Object.class) {
						return method.invoke(this, arguments);
					}
					switch (method.getName()) {
						case "onElected" -> begins((Leadership) arguments[0]);
						case "onDefeated" -> ends((Leadership) arguments[0]);
						default -> {
						}
					}
					this.surroundings.pass(Source.LISTENER);
					return null;
				});
	}

	private void begins(Leadership leadership) {
		Leadership before = this.leading.put(leadership.election(), leadership);
		if (before != null) {
			this.complaints.accept("%s begins, and has not heard of the end of %s".formatted(leadership, before));
		}
	}

	private void ends(Leadership leadership) {
		if (this.leading.remove(leadership.election()) != leadership) {
			this.complaints.accept("%s ends, and has not heard of its beginning".formatted(leadership));
		}
	}

}
