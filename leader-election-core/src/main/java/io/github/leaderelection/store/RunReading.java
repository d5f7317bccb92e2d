package io.github.leaderelection.store;

import java.util.Map;

/**
 * What a store showed when records of jobs were opened or looked for.
 *
 * @param records the records by job
 * @param damaged by job, what is wrong with a record that can't be understood, or could
 * not be opened while others could. Fit for a log. Nothing must be started for such a
 * job; it may be tried again later.
 */
public record RunReading(Map<JobKey, RunRecord> records, Map<JobKey, String> damaged) {

	/**
	 * Take copies.
	 */
	public RunReading {
		records = Map.copyOf(records);
		damaged = Map.copyOf(damaged);
	}

}
