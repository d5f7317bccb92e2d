package io.github.leaderelection.faults;

import java.util.concurrent.ThreadLocalRandom;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;

/**
 * Work that only the leader may do.
 */
class GatedWork {

	static final String ALPHA = "alpha";

	static final String BETA = "beta";

	private final LeaderElection elections;

	private final HistoryWriter history;

	GatedWork(LeaderElection elections, HistoryWriter history) {
		this.elections = elections;
		this.history = history;
	}

	@LeaderOnly(ALPHA)
	public void alpha(long calledAt) {
		work(ALPHA, calledAt);
	}

	@LeaderOnly(BETA)
	public void beta(long calledAt) {
		work(BETA, calledAt);
	}

	private void work(String election, long calledAt) {
		long term = this.elections.currentLeadership().term();
		this.history.write("call", election, term, calledAt);
		try {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			// Now and then long enough to be under way when leadership changes.
			Thread.sleep((random.nextInt(50) == 0) ? random.nextInt(200, 400) : random.nextInt(15));
		}
		catch (InterruptedException ex) {
			this.history.write("interrupted", election, term);
		}
		finally {
			this.history.write("done", election, term);
		}
	}

}
