package io.github.leaderelection;

/**
 * Takes part in one election and is told when this process starts and stops leading it.
 * Declare it as a bean, or hand it to {@link LeaderElection#register(Candidate)} at run
 * time.
 * <p>
 * Calls to one candidate never overlap and alternate strictly: elected, defeated,
 * elected, and so on; none is made after the application context has closed. They arrive
 * on a thread of their own, never on the one that renews its session, so that a callback
 * may take as long as it likes, and that does not keep a JVM alive. Each call may lag
 * behind the state: {@link Leadership#isHeld()} tells what is true now.
 */
public interface Candidate {

	/**
	 * Return the name of the election that this candidate stands in: 1 to 200 characters,
	 * without control characters, line breaks and marks of text direction. Must return
	 * the same name at every call.
	 * @return the election name
	 */
	String election();

	/**
	 * Called when this process has become the leader. May return, or block for as long as
	 * the candidate leads: when leadership ends while it blocks, its thread is
	 * interrupted. If it throws while this process still leads, the process resigns from
	 * the election, for its other candidates and gated methods too, and does not lead it
	 * for the configured cooldown.
	 * @param leadership the term that has begun
	 * @throws InterruptedException when interrupted because the leadership has ended
	 */
	void onElected(Leadership leadership) throws InterruptedException;

	/**
	 * Called exactly once for each {@link #onElected(Leadership)}, after that call has
	 * returned, unless it has not by the time that leader election has ended. On a
	 * graceful change nobody else leads before this method has returned, within the
	 * limits of the drain timeout. An exception is logged and changes nothing.
	 * @param leadership the term that has ended; {@link Leadership#lossReason()} tells
	 * why. For a candidate that was unregistered while this process goes on to lead, the
	 * term may still be held
	 */
	default void onDefeated(Leadership leadership) {
	}

}
