package io.github.leaderelection.job;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.StoredText;

/**
 * Thrown when the store answers, but the record of one job can't be used: it is damaged,
 * or is gone. No other job is concerned.
 */
public class UnusableRecordException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	/**
	 * Create an exception.
	 * @param key the job
	 * @param problem what is wrong with its record, as the end of a sentence
	 */
	public UnusableRecordException(JobKey key, String problem) {
		super("The record of job '%s' can't be used: %s".formatted(key, problem), null);
		this.problem = StoredText.printable(problem);
	}

	/**
	 * Return what is wrong with the record.
	 * @return the problem, as the end of a sentence
	 */
	public String problem() {
		return this.problem;
	}

}
