package io.github.leaderelection.faults;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;

/**
 * Writes down its callbacks, and passes each leadership to the observer.
 */
final class RecordedCandidate implements Candidate {

	private final String election;

	private final HistoryWriter history;

	private final Observer observer;

	RecordedCandidate(String election, HistoryWriter history, Observer observer) {
		this.election = election;
		this.history = history;
		this.observer = observer;
	}

	@Override
	public String election() {
		return this.election;
	}

	@Override
	public void onElected(Leadership leadership) {
		this.history.write("elected", this.election, leadership.term());
		this.observer.observe(leadership);
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.history.write("defeated", this.election, leadership.term(),
				leadership.lossReason().map(Enum::name).orElse("NONE"));
	}

}
