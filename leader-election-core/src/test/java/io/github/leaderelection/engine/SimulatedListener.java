package io.github.leaderelection.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.Surroundings.Source;

/**
 * Hears of everything, and may throw whenever it does.
 */
final class SimulatedListener implements EngineObserver {

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

	@Override
	public void onElected(Leadership leadership) {
		Leadership before = this.leading.put(leadership.election(), leadership);
		if (before != null) {
			this.complaints.accept("%s begins, and has not heard of the end of %s".formatted(leadership, before));
		}
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onDefeated(Leadership leadership) {
		if (this.leading.remove(leadership.election()) != leadership) {
			this.complaints.accept("%s ends, and has not heard of its beginning".formatted(leadership));
		}
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onLeaderChanged(String election, String previous, String current) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onStoreCall(StoreOperation operation, long nanos, boolean answered) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onTakeover(String election, boolean won) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onDrain(String election, long nanos, boolean complete) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onCallback(String election, Callback callback, long nanos, boolean failure) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onCallEnded(String election, long nanos, boolean interrupted) {
		this.surroundings.pass(Source.LISTENER);
	}

}
