package io.github.leaderelection.fence;

import io.github.leaderelection.InvalidConfigurationException;

/**
 * Thrown when transactions are to be fenced, and can't be: while the application starts,
 * or what fences them is made.
 */
public class UnusableFenceException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param reason what is wrong, without a full stop
	 * @param remedy what can be done, without a full stop
	 */
	public UnusableFenceException(String reason, String remedy) {
		super("Transactions can't be fenced: " + reason, remedy, null);
	}

}
