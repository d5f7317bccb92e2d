/**
 * Locks on demand: leases whose names are only known at run time, held for as long as a
 * piece of work takes.
 * <p>
 * A held lock is a term of an election in which this process is a candidate only while it
 * holds or requests the lock. Such elections have an
 * {@linkplain io.github.leaderelection.engine.ElectionEngine engine} of their own, with a
 * session of its own, so locks do not delay any other election, however many there are.
 * {@link io.github.leaderelection.lock.LockService} lets requests for a lock wait in
 * line.
 */
@NullMarked
package io.github.leaderelection.lock;

import org.jspecify.annotations.NullMarked;
