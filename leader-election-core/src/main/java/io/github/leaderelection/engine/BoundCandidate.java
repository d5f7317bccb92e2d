package io.github.leaderelection.engine;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;

/**
 * A candidate that brings work in by itself for as long as this process leads, such as a
 * listener of messages.
 * <p>
 * On a graceful change it is told of its defeat first, while the term is still held and
 * gated calls are let in, so that what it is in the middle of can come to its end. Only
 * when {@link #onDefeated(Leadership)} has returned is the gate closed, and only then are
 * calls in flight waited for and other candidates told. All of this must end within the
 * drain timeout; if it does not, the lease is kept for another time to live.
 */
public interface BoundCandidate extends Candidate {

	/**
	 * Tell how it fares. Called by any thread, for people to see; must neither block nor
	 * throw.
	 * @return the status
	 */
	ComponentStatus status();

}
