/**
 * The public API of leader election: what applications annotate, implement and inject.
 * <p>
 * Several instances of an application run; for each named <em>election</em> at most one
 * of them is the leader. Annotate a method with
 * {@link io.github.leaderelection.LeaderOnly @LeaderOnly} to run it on the leader only,
 * declare a {@link io.github.leaderelection.Candidate} to be told when leadership comes
 * and goes, or inject {@link io.github.leaderelection.LeaderElection} to ask.
 * <p>
 * What is <em>not</em> guaranteed: between asking {@code isHeld()} and the effect of the
 * next statement a process can be paused for any length of time. Work that must survive
 * that carries the {@linkplain io.github.leaderelection.Leadership#term() term} along as
 * a fencing token.
 */
@NullMarked
package io.github.leaderelection;

import org.jspecify.annotations.NullMarked;
