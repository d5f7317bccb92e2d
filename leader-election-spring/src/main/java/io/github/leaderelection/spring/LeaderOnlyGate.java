package io.github.leaderelection.spring;

import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;

/**
 * Gives the gate in front of {@link io.github.leaderelection.LeaderOnly} methods access
 * to elections. Safe for use by any thread; no method does I/O.
 */
public interface LeaderOnlyGate {

	/**
	 * Stand in the election from now on. Idempotent. Called when all singletons exist, or
	 * with the first call if that comes earlier. Does nothing by default.
	 * @param election a valid election name
	 */
	default void stand(String election) {
	}

	/**
	 * Let in a call of the current thread if this process leads.
	 * @param election the election, in which this process stands
	 * @param interruptible whether to interrupt the thread when leadership is lost during
	 * the call
	 * @return the call, to be {@linkplain GatedCall#close() closed} by the caller, or
	 * {@code null} if it is not let in
	 */
	@Nullable GatedCall enter(String election, boolean interruptible);

	/**
	 * Take note of a call that was not let in. Does nothing by default.
	 * @param election the election
	 * @param rejected whether the caller gets an exception; otherwise the call is skipped
	 */
	default void refuse(String election, boolean rejected) {
	}

	/**
	 * Return the exception for a call that was not let in. By default, it does not name
	 * the leader.
	 * @param election the election
	 * @param what a description of the refused call, for the message
	 * @return the exception
	 */
	default NotLeaderException refusal(String election, String what) {
		return new NotLeaderException(election, what);
	}

	/**
	 * Return the gate of an engine.
	 * @param engine the engine
	 * @return its gate
	 */
	static LeaderOnlyGate of(ElectionEngine engine) {
		return new LeaderOnlyGate() {

			@Override
			public void stand(String election) {
				engine.stand(election);
			}

			@Override
			public @Nullable GatedCall enter(String election, boolean interruptible) {
				return engine.enter(election, interruptible);
			}

			@Override
			public void refuse(String election, boolean rejected) {
				engine.refuse(election, rejected);
			}

			@Override
			public NotLeaderException refusal(String election, String what) {
				// During a handover this process still holds the lease, but is no use to
				// the caller.
				String leader = engine.leader(election)
					.filter((candidate) -> !candidate.equals(engine.candidateId()))
					.orElse(null);
				String address = (leader != null) ? engine.addressOf(leader).orElse(null) : null;
				return new NotLeaderException(election, what, leader, address);
			}

		};
	}

	/**
	 * Return a gate that lets nothing in.
	 * @return the gate
	 */
	static LeaderOnlyGate closed() {
		return (election, interruptible) -> null;
	}

}
