package io.github.leaderelection.engine;

import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * What was last seen of the session of another process.
 *
 * @param session the session, {@code null} if it is missing
 * @param since the monotonic time at which this revision, or that it is missing, was
 * first seen
 * @param freeAt when to take what it no longer vouches for, or to create a tombstone
 * where it is missing; monotonic time. Of no importance but that whoever has ended it
 * goes first, and that a lease is not overlooked which has been given back.
 */
record SessionSighting(@Nullable Session session, long since, long freeAt) {

}
