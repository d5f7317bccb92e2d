/**
 * The protocol: who leads, decided by pure functions. {@code on} makes the next state
 * from the last and from what was learnt; {@code next} tells what to ask of the store,
 * and when that is due. Nothing here has a thread, a lock, a clock or a log.
 * <ul>
 * <li>{@link io.github.leaderelection.protocol.SessionProtocol} decides whether a process
 * is alive: this one by its own account, another as far as it was watched.</li>
 * <li>{@link io.github.leaderelection.protocol.ElectionProtocol} decides who holds a
 * lease. {@link io.github.leaderelection.protocol.ElectionState} is all that a candidate
 * knows of one election; {@link io.github.leaderelection.protocol.TermState} tells where
 * its own term stands, from the taking of the lease until all that was done in its name
 * has ended.</li>
 * <li>{@link io.github.leaderelection.protocol.ElectionEvent} is what can be learnt,
 * {@link io.github.leaderelection.protocol.Command} what can follow.</li>
 * </ul>
 */
@NullMarked
package io.github.leaderelection.protocol;

import org.jspecify.annotations.NullMarked;
