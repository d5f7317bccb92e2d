package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what happens in the elections of this process. Called on threads that
 * neither renew sessions nor call candidates: one call at a time and in order for each
 * election, concurrently for different elections, and never after the engine has closed.
 * An exception is logged and changes nothing.
 */
public interface ElectionListener {

	/**
	 * Called when this process has become the leader.
	 * @param leadership the term that has begun
	 */
	default void onElected(Leadership leadership) {
	}

	/**
	 * Called when this process is no longer the leader.
	 * @param leadership the term that has ended
	 */
	default void onDefeated(Leadership leadership) {
	}

	/**
	 * Called when this process sees that the leader has changed.
	 * @param election the election name
	 * @param previous the id of the candidate that led, or {@code null} if none did
	 * @param current the id of the candidate that leads, or {@code null} if none does
	 */
	default void onLeaderChanged(String election, @Nullable String previous, @Nullable String current) {
	}

}
