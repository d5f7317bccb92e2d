package io.github.leaderelection.spring;

import io.github.leaderelection.job.RecordedJobs;

import org.springframework.context.SmartLifecycle;

/**
 * Lets recorded jobs be looked after from when leader election has started. Their end is
 * the container's: when it destroys them, what was led is handed over and all runs have
 * ended, and the client of the database is still open.
 */
public final class RecordedJobsLifecycle implements SmartLifecycle {

	private final RecordedJobs jobs;

	private volatile boolean running;

	/**
	 * Create a lifecycle.
	 * @param jobs the jobs
	 */
	public RecordedJobsLifecycle(RecordedJobs jobs) {
		this.jobs = jobs;
	}

	@Override
	public void start() {
		this.jobs.start();
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return LeaderElectionLifecycle.PHASE + 1;
	}

}
