package io.github.leaderelection.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;

/**
 * A candidate that leads until it is interrupted, and records its callbacks.
 */
class RecordingCandidate implements Candidate {

	final List<String> calls = new CopyOnWriteArrayList<>();

	@Override
	public String election() {
		return "x";
	}

	@Override
	public void onElected(Leadership leadership) throws InterruptedException {
		this.calls.add("elected");
		Thread.sleep(Long.MAX_VALUE);
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.calls.add("defeated " + leadership.lossReason().orElseThrow());
	}

}
