package io.github.leaderelection.lock;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;

/**
 * What a lock needs of elections.
 *
 * @param register lets a candidate stand; may throw, and then it does not stand for long
 * @param unregister lets a candidate leave, sooner or later even if it throws
 * @param enter begins work that is waited for before the lease of an election is given
 * back; returns {@code null} if this process does not lead it
 * @param giveUp hands over a term if it is led, sooner or later even if it throws
 * @param leader returns who leads an election, as far as is known
 * @param afterMargin runs something when a safety margin has passed
 */
record ElectionAccess(Consumer<Candidate> register, Consumer<Candidate> unregister,
		Function<String, @Nullable GatedCall> enter, Consumer<Leadership> giveUp,
		Function<String, Optional<String>> leader, Consumer<Runnable> afterMargin) {

}
