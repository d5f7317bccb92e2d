package io.github.leaderelection.test;

import io.github.leaderelection.LeaderOnly;

/**
 * A job for leaders, in three elections.
 */
class Job {

	@LeaderOnly("x")
	public void runX(Runnable work) {
		work.run();
	}

	@LeaderOnly("y")
	public void runY(Runnable work) {
		work.run();
	}

	@LeaderOnly
	public void runDefault(Runnable work) {
		work.run();
	}

}
