package io.github.leaderelection.engine;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.Surroundings.Source;

/**
 * Hears of everything, and may throw whenever it does.
 */
final class SimulatedListener {

	/** The terms of whose end it has not heard. */
	private final Map<String, Leadership> leading = new HashMap<>();

	private final Surroundings surroundings;

	private final Consumer<String> complaints;

	/**
	 * Create a listener.
	 * @param complaints told of what it should not have heard
	 */
	SimulatedListener(Surroundings surroundings, Consumer<String> complaints) {
		this.surroundings = surroundings;
		this.complaints = complaints;
	}

	/** Return whether it has heard last that this process leads. */
	boolean knowsLeader(String election) {
		return this.leading.containsKey(election);
	}

	/** Return it as an engine sees it. */
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
