package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.Surroundings.Source;

/**
 * Hears of everything, and may throw whenever it does.
 */
final class SimulatedListener implements EngineObserver {

	private final Surroundings surroundings;

	SimulatedListener(Surroundings surroundings) {
		this.surroundings = surroundings;
	}

	@Override
	public void onElected(Leadership leadership) {
		this.surroundings.pass(Source.LISTENER);
	}

	@Override
	public void onDefeated(Leadership leadership) {
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
