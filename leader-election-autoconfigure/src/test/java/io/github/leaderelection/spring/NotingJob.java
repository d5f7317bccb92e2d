package io.github.leaderelection.spring;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;

/**
 * A bean with scheduled methods that record the runs in which they are called.
 */
class NotingJob {

	private final List<@Nullable JobRun> runs = new CopyOnWriteArrayList<>();

	private final Map<String, String> threads = new ConcurrentHashMap<>();

	@Autowired
	private JobRuns jobRuns;

	/** Called by each scheduled method. */
	void note() {
		this.jobRuns.currentRun().ifPresent((run) -> this.threads.put(run.job(), Thread.currentThread().getName()));
		this.runs.add(this.jobRuns.currentRun().orElse(null));
	}

	/** Return the run of each call, {@code null} for one that is not recorded. */
	public List<@Nullable JobRun> runs() {
		return this.runs;
	}

	/** Return the names of the threads of recorded runs, by job. */
	public Map<String, String> threads() {
		return this.threads;
	}

}
