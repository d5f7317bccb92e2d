package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;

/**
 * A candidate that keeps what it is told.
 */
class RecordingCandidate implements Candidate {

	final List<String> calls = new CopyOnWriteArrayList<>();

	volatile Thread thread;

	private final String election;

	RecordingCandidate(String election) {
		this.election = election;
	}

	@Override
	public String election() {
		return this.election;
	}

	@Override
	public void onElected(Leadership leadership) {
		this.thread = Thread.currentThread();
		this.calls.add("elected");
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.calls.add("defeated " + leadership.lossReason().orElseThrow());
	}

}
