package io.github.leaderelection.lock;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;

/**
 * The operations of elections that a lock needs.
 *
 * @param register registers a candidate; if it throws, the candidate takes part for a
 * short time at most
 * @param unregister unregisters a candidate; if it throws, that is completed later
 * @param enter begins work that the release of the lease waits for; returns {@code null}
 * if this process does not lead the election
 * @param giveUp hands over a term if it is led; if it throws, that is completed later
 * @param leader returns the leader of an election, as far as it is known
 * @param afterMargin runs an action when a safety margin has passed
 */
record ElectionAccess(Consumer<Candidate> register, Consumer<Candidate> unregister,
		Function<String, @Nullable GatedCall> enter, Consumer<Leadership> giveUp,
		Function<String, Optional<String>> leader, Consumer<Runnable> afterMargin) {

}
