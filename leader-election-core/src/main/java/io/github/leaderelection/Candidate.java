package io.github.leaderelection;

/**
 * Takes part in one election and is told when this process starts and stops leading it.
 * Declare it as a bean, or hand it to {@link LeaderElection#register(Candidate)} at run
 * time.
 * <p>
 * Calls to one candidate never overlap and alternate strictly: elected, defeated,
 * elected, and so on. None is made after the application context has closed. They arrive
 * on a separate thread, never on the one that renews the session, so a callback may take
 * as long as it likes. That thread does not keep the JVM alive. Each call may lag behind
 * the state: {@link Leadership#isHeld()} tells what is true now.
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
	 * the election, also on behalf of its other candidates and gated methods, and does
	 * not lead it for the configured cooldown.
	 * @param leadership the term that has begun
	 * @throws InterruptedException when interrupted because the leadership has ended
	 */
	void onElected(Leadership leadership) throws InterruptedException;

	/**
	 * Called exactly once for each {@link #onElected(Leadership)}, after that call has
	 * returned, unless leader election is shut down before it returns. On a graceful
	 * change no other process leads before this method has returned, within the limits of
	 * the drain timeout. An exception is logged and has no other effect.
	 * @param leadership the term that has ended; {@link Leadership#lossReason()} tells
	 * why. The term may still be held if the candidate was unregistered while this
	 * process goes on leading
	 */
	default void onDefeated(Leadership leadership) {
	}

}
