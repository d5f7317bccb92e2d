package io.github.leaderelection.job;

import java.util.Map;

/**
 * What the store showed when records of jobs were read, or opened.
 *
 * @param records the records by job
 * @param damaged by job, what is wrong with a record that can't be understood, or could
 * not be opened while others could. Fit for a log. Nothing must be started for such a
 * job; it may be tried again later.
 */
record RunReading(Map<JobKey, RunRecord> records, Map<JobKey, String> damaged) {

	RunReading {
		records = Map.copyOf(records);
		damaged = Map.copyOf(damaged);
	}

}
