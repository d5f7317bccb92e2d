package io.github.leaderelection.test;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionListener;

/**
 * Records which terms have ended, once the engine has interrupted their work.
 */
final class EndedTerms implements ElectionListener {

	private final Map<String, Long> latest = new ConcurrentHashMap<>();

	@Override
	public void onDefeated(Leadership leadership) {
		this.latest.put(leadership.election(), leadership.term());
	}

	boolean contains(Leadership leadership) {
		return this.latest.getOrDefault(leadership.election(), 0L) >= leadership.term();
	}

}
