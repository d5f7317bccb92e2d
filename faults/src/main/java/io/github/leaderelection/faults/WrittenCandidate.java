package io.github.leaderelection.faults;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;

/**
 * Writes down when this process starts and stops leading.
 */
final class WrittenCandidate implements Candidate {

	static final String ELECTED = "elected";

	static final String DEFEATED = "defeated";

	private final HistoryWriter history;

	WrittenCandidate(HistoryWriter history) {
		this.history = history;
	}

	@Override
	public String election() {
		return ScheduledJobsApplication.ELECTION;
	}

	@Override
	public void onElected(Leadership leadership) {
		this.history.write(ELECTED, leadership.term());
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.history.write(DEFEATED, leadership.term());
	}

}
