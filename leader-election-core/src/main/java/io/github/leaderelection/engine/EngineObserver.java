package io.github.leaderelection.engine;

/**
 * A listener that also hears how the engine works, to measure it.
 * <p>
 * The methods added here are called by any thread, those that renew sessions and take
 * leases and those of gated calls among them, at the same time too: they must return at
 * once. An exception is logged, the first of each observer only, and changes nothing.
 */
public interface EngineObserver extends ElectionListener {

	/**
	 * Called when this process has begun to take part in an election; may be called again
	 * while it does. Where it joins after the engine has started, the first events of the
	 * election can come before.
	 * @param election the election name
	 */
	default void onStand(String election) {
	}

	/**
	 * Called when a call of a store has ended.
	 * @param operation what was asked
	 * @param nanos how long it took
	 * @param answered whether there was an answer, whatever it was; otherwise the outcome
	 * is unknown
	 */
	default void onStoreCall(StoreOperation operation, long nanos, boolean answered) {
	}

	/**
	 * Called when an attempt to take a lease was answered.
	 * @param election the election name
	 * @param won whether the lease was taken; otherwise somebody else was faster
	 */
	default void onTakeover(String election, boolean won) {
	}

	/**
	 * Called when the wait for gated calls, in which a graceful end of a term begins, is
	 * over.
	 * @param election the election name
	 * @param nanos how long it took
	 * @param complete whether all calls have ended; otherwise the wait was too long, or
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
	 * @param interrupted whether it was interrupted, or its subscription cancelled, since
	 * leadership was lost
	 */
	default void onCallEnded(String election, long nanos, boolean interrupted) {
	}

	/** What a candidate is told. */
	enum Callback {

		/** That it was elected. */
		ELECTED,

		/** That its leadership has ended. */
		DEFEATED

	}

	/**
	 * What an engine asks of its stores.
	 */
	enum StoreOperation {

		/** Reads leases. */
		READ,

		/** Creates a vacant lease. */
		CREATE,

		/** Takes a lease. */
		TAKE,

		/** Tells that this process lives. */
		RENEW,

		/** Reads the sessions of others. */
		WATCH,

		/** Creates a tombstone for another process that has no session. */
		BURY,

		/** Ends the session of another process. */
		EXPIRE,

		/** Gives a lease back. */
		RELEASE,

		/** Tells that this process lives no more. */
		CLOSE,

		/** Makes this process known, and reads who else is there. */
		ANNOUNCE,

		/** Removes this process from those that are known. */
		WITHDRAW;

		/**
		 * Return whether the operation is made again and again for as long as this
		 * process takes part, so that nothing but its own success tells that it works.
		 */
		boolean isRepeated() {
			return this == READ || this == WATCH;
		}

		/**
		 * Return whether the operation makes a change for the sake of certain leases,
		 * rather than reads, or concerns a process as a whole.
		 */
		boolean isChange() {
			return this == CREATE || this == TAKE || this == BURY || this == RELEASE;
		}

	}

}
