package io.github.leaderelection.fence;

import io.github.leaderelection.InvalidConfigurationException;

/**
 * Thrown when transactions are to be fenced, and can't be: while the application starts,
 * what fences them is made, or one of them begins.
 */
public class UnusableFenceException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param reason why transactions can't be fenced, a phrase to follow that, without a
	 * full stop
	 * @param remedy what can be done, without a full stop
	 */
	public UnusableFenceException(String reason, String remedy) {
		super("Transactions can't be fenced: " + reason, remedy, null);
	}

}
