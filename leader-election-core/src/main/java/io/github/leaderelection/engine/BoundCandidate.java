package io.github.leaderelection.engine;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;

/**
 * A candidate that produces its own work for as long as this process leads, such as a
 * message listener.
 * <p>
 * On a graceful change of leader it is told of its defeat first, while the term is still
 * held and gated calls are let in, so that work in progress can finish. The gate is
 * closed only when {@link #onDefeated(Leadership)} has returned. Then calls in flight are
 * waited for, and other candidates are told. All of this must end within the drain
 * timeout; if it does not, the lease is kept for another time to live.
 */
public interface BoundCandidate extends Candidate {

	/**
	 * Return how this candidate is doing, for people to see. Called by any thread; must
	 * neither block nor throw.
	 * @return the status
	 */
	ComponentStatus status();

}
