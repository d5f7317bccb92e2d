/**
 * The protocol: pure functions that decide who leads. {@code on} makes the next state
 * from the last and an event; {@code next} returns what to ask of the store, and when.
 * Nothing here has a thread, a lock, a clock or a log. S1 to S9 and R1 to R11 are the
 * rules in {@code docs/internals/protocol.md}.
 * <ul>
 * <li>{@link io.github.leaderelection.protocol.SessionProtocol} decides whether a process
 * is alive: this one by its own account, another one by watching its session.</li>
 * <li>{@link io.github.leaderelection.protocol.ElectionProtocol} decides who holds a
 * lease. {@link io.github.leaderelection.protocol.ElectionState} is all that a candidate
 * knows of one election; {@link io.github.leaderelection.protocol.TermState} tells where
 * its own term stands, from the taking of the lease until all work done under it has
 * ended.</li>
 * <li>{@link io.github.leaderelection.protocol.ElectionEvent} is what a candidate can
 * learn, {@link io.github.leaderelection.protocol.Command} what it can ask of the
 * store.</li>
 * </ul>
 */
@NullMarked
package io.github.leaderelection.protocol;

import org.jspecify.annotations.NullMarked;
