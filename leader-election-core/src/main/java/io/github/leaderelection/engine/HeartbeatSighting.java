package io.github.leaderelection.engine;

import io.github.leaderelection.store.Heartbeat;
import org.jspecify.annotations.Nullable;

/**
 * What was last seen of the heartbeat of another process.
 *
 * @param heartbeat the heartbeat, {@code null} if it is missing
 * @param since the monotonic time at which this beat, or that it is missing, was first
 * seen
 * @param freeAt when to take what it no longer vouches for, or to enter one where it is
 * missing; monotonic time. Of no importance but that whoever has ended it goes first, and
 * that a lease is not overlooked which has been given back.
 */
record HeartbeatSighting(@Nullable Heartbeat heartbeat, long since, long freeAt) {

}
