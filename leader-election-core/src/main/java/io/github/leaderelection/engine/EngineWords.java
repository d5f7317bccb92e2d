package io.github.leaderelection.engine;

import org.slf4j.Logger;

/**
 * The lines of the log that are about all leases of an engine. A process may have one for
 * elections and one for locks, and people must see which is meant.
 */
enum EngineWords {

	/** Of elections that stay. */
	ELECTIONS {

		@Override
		void outage(Logger logger, String reason) {
			logger.warn("Leases can't be reached: {}. Terms go on until the last beat runs out, "
					+ "nobody new is elected, and gated methods skip without a leader; retrying until it answers",
					reason);
		}

		@Override
		void otherReason(Logger logger, String reason) {
			logger.warn("Leases still can't be reached, now for another reason: {}", reason);
		}

		@Override
		void endOfOutage(Logger logger, String duration) {
			logger.info("Leases can be reached again, after {}", duration);
		}

		@Override
		void notPushed(Logger logger, String reason) {
			logger.info("Changes of leases are not pushed, they are polled for: {}", reason);
		}

		@Override
		void pushed(Logger logger) {
			logger.info("Changes of leases are pushed from now on");
		}

		@Override
		void watchFailed(Logger logger, Throwable cause) {
			logger.warn("The watch of leases failed; polling until it is open again", cause);
		}

	},

	/** Of elections that come and go. */
	LOCKS {

		@Override
		void outage(Logger logger, String reason) {
			logger.warn("Leases of locks can't be reached: {}. Locks that are held stay held until the last beat runs "
					+ "out, and nobody acquires another; retrying until it answers", reason);
		}

		@Override
		void otherReason(Logger logger, String reason) {
			logger.warn("Leases of locks still can't be reached, now for another reason: {}", reason);
		}

		@Override
		void endOfOutage(Logger logger, String duration) {
			logger.info("Leases of locks can be reached again, after {}", duration);
		}

		@Override
		void notPushed(Logger logger, String reason) {
			logger.info("Changes of leases of locks are not pushed, they are polled for: {}", reason);
		}

		@Override
		void pushed(Logger logger) {
			logger.info("Changes of leases of locks are pushed from now on");
		}

		@Override
		void watchFailed(Logger logger, Throwable cause) {
			logger.warn("The watch of leases of locks failed; polling until it is open again", cause);
		}

	};

	/** Return the words for elections that come and go, as locks do, or that stay. */
	static EngineWords of(boolean ephemeral) {
		return ephemeral ? LOCKS : ELECTIONS;
	}

	abstract void outage(Logger logger, String reason);

	abstract void otherReason(Logger logger, String reason);

	abstract void endOfOutage(Logger logger, String duration);

	abstract void notPushed(Logger logger, String reason);

	abstract void pushed(Logger logger);

	abstract void watchFailed(Logger logger, Throwable cause);

}
