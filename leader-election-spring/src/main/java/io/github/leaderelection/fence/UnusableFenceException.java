package io.github.leaderelection.fence;

import io.github.leaderelection.InvalidConfigurationException;

/**
 * Thrown if transactions are to be fenced and can't be: at startup, when a
 * {@link LeaderTransactions} is created, or when a transaction begins.
 */
public class UnusableFenceException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param reason why transactions can't be fenced, as a phrase without a full stop
	 * @param remedy what can be done, without a full stop
	 */
	public UnusableFenceException(String reason, String remedy) {
		super("Transactions can't be fenced: " + reason, remedy, null);
	}

}
