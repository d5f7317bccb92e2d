package io.github.leaderelection.job;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * Thrown when the store answers, but the record of one job can't be used: it is damaged,
 * or is gone. No other job is concerned.
 */
public class UnusableRecordException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	UnusableRecordException(JobKey key, String problem) {
		super("The record of job '%s' can't be used: %s".formatted(key, problem), null);
	}

}
