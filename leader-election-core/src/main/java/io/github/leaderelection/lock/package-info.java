/**
 * Locks on demand: leases under names that are made up at run time, held for as long as a
 * piece of work takes.
 * <p>
 * A held lock is a term of an election in which this process stands only while somebody
 * here wants the lock. Such elections have an
 * {@linkplain io.github.leaderelection.engine.ElectionEngine engine} of their own, with a
 * session of its own: whatever locks cost, and however many there are, no election is led
 * later for it. {@link io.github.leaderelection.lock.LockService} lets those who want a
 * lock wait in line.
 */
@NullMarked
package io.github.leaderelection.lock;

import org.jspecify.annotations.NullMarked;
