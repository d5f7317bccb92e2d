package io.github.leaderelection.engine;

/**
 * A listener that also observes how the engine works, to measure it.
 * <p>
 * The methods added here are called by any thread, also concurrently, including the
 * threads of gated calls and those that renew sessions and take leases: they must return
 * at once. Exceptions change nothing; only the first one of each observer is logged.
 */
public interface EngineObserver extends ElectionListener {

	/**
	 * Called when this process has begun to take part in an election; can be called again
	 * while it takes part. If it joins after the engine has started, the first events of
	 * the election can come before this call.
	 * @param election the election name
	 */
	default void onStand(String election) {
	}

	/**
	 * Called when a store call has ended.
	 * @param operation the operation
	 * @param nanos how long it took
	 * @param answered whether there was an answer, whatever it was; otherwise the outcome
	 * is unknown
	 */
	default void onStoreCall(StoreOperation operation, long nanos, boolean answered) {
	}

	/**
	 * Called when an attempt to take a lease was answered.
	 * @param election the election name
	 * @param won whether the lease was taken; otherwise, as a rule, another process was
	 * faster
	 */
	default void onTakeover(String election, boolean won) {
	}

	/**
	 * Called when the wait for gated calls, with which the graceful end of a term begins,
	 * is over.
	 * @param election the election name
	 * @param nanos how long it took
	 * @param complete whether all calls have ended; otherwise the drain has timed out, or
	 * the lease was lost meanwhile
	 */
	default void onDrain(String election, long nanos, boolean complete) {
	}

	/**
	 * Called when a callback of a candidate has returned.
	 * @param election the election name
	 * @param callback which one
	 * @param nanos how long it took
	 * @param failed whether it threw an exception, other than for being interrupted
	 */
	default void onCallback(String election, Callback callback, long nanos, boolean failed) {
	}

	/**
	 * Called when a gated call was not let in.
	 * @param election the election name
	 * @param rejected whether the caller got an exception; otherwise the call was skipped
	 */
	default void onCallRefused(String election, boolean rejected) {
	}

	/**
	 * Called when a gated call that was let in has ended.
	 * @param election the election name
	 * @param nanos how long it was in flight
	 * @param interrupted whether it was interrupted, or its subscription canceled,
	 * because leadership was lost
	 */
	default void onCallEnded(String election, long nanos, boolean interrupted) {
	}

	/** A callback of a candidate. */
	enum Callback {

		/** The candidate was elected. */
		ELECTED,

		/** The leadership of the candidate has ended. */
		DEFEATED

	}

	/**
	 * An operation of the store.
	 */
	enum StoreOperation {

		/** Reads leases. */
		READ,

		/** Creates a vacant lease. */
		CREATE,

		/** Takes a lease. */
		TAKE,

		/** Creates, renews or reads the session of this process. */
		RENEW,

		/** Reads the sessions of others. */
		WATCH,

		/** Creates a tombstone for another process that has no session. */
		BURY,

		/** Ends the session of another process. */
		EXPIRE,

		/** Gives a lease back. */
		RELEASE,

		/** Removes the session of this process. */
		CLOSE,

		/** Announces this process, and reads which candidates there are. */
		ANNOUNCE,

		/** Removes the announcement of this process. */
		WITHDRAW;

		/**
		 * Return whether the operation is repeated for as long as this process takes
		 * part, so that only its own success shows that it works.
		 */
		boolean isRepeated() {
			return this == READ || this == WATCH;
		}

		/**
		 * Return whether the operation changes something for certain leases, as opposed
		 * to reads and changes that concern a process as a whole.
		 */
		boolean isChange() {
			return this == CREATE || this == TAKE || this == BURY || this == RELEASE;
		}

	}

}
