/**
 * Carries out what the {@linkplain io.github.leaderelection.protocol protocol} decides,
 * without any framework: calls the store, and applies the results inside this process.
 *
 * <h2>Who does what</h2>
 * <ul>
 * <li>{@code ElectionRegistry} holds all elections of this process by name, and the lock
 * under which they change. Each election is an {@code ElectionMember}, which keeps its
 * state, passes what was learned to the protocol, and carries out what follows from the
 * new state. Each term has one {@code TermReconciler}, which compares the state of the
 * term with what has been done so far: it tells the {@code Candidates}, closes the gate,
 * waits for work to end, and reports when the term is settled. Whatever has failed stays
 * pending.</li>
 * <li>A {@code Term} is the leadership as users see it. {@code GatedCalls} has the calls
 * in flight under a term, and {@code CandidateCallbacks} tells a candidate about its
 * terms. A {@code WorkScope} is the time that a thread spends in such a call or callback:
 * it records what the thread works for, and whether the thread was interrupted for it.
 * {@code ListenerNotifier} notifies listeners. {@code Freshness} and {@code StatusReport}
 * decide nothing: they serve to report the status to people.</li>
 * <li>{@code OwnSession} keeps the state of one session of this process, and the
 * {@code Deadline} of all terms under it. {@code Sessions} has one of them for each time
 * to live, and remembers what was observed of other processes' sessions.</li>
 * <li>{@code EventLoop} handles the passing of time, and has the logic of the thread that
 * makes the calls; a simulation runs it without a thread. Its {@code CommandPlanner}
 * combines what all elections want at the moment into the most urgent {@code StoreCall};
 * the {@code Agenda} knows which elections need attention now, and when the others will.
 * {@code StoreCalls} knows how each call is made, and {@code Answers} turns answers and
 * pushed changes into events. {@code MemberDirectory} makes this process known to people,
 * when nothing else is due.</li>
 * <li>{@link io.github.leaderelection.engine.ElectionEngine} has the threads, and is the
 * entry point for other packages. {@code EngineContext} has what all elections
 * share.</li>
 * </ul>
 *
 * <h2>How a resignation works</h2> {@code ElectionRegistry.resign} passes the event to
 * the member, whose term then begins to drain. The reconciler lets no further call in,
 * and checks again whenever a call or callback has ended. When none is left, it reports
 * that the term is settled, and the term is releasing. Now the protocol wants the lease
 * to be released, and the answer to that call ends the term. A loss works the same way,
 * except that the term ends at once, and its lease is given back even if work goes on.
 *
 * <h2>How a call is made</h2> The loop asks {@code EventLoop.poll} for the most urgent
 * call. Only elections that need attention are asked what they want: those that have
 * changed, whose time has come, or whose work is ending. Each election is asked at least
 * once a second, which makes up for anything missed. Renewals come first; then releases
 * of leases, takings, ends of sessions, tombstones and new leases; then reads of leases
 * and of sessions; then changes that have failed before; and last the cleaning up of
 * sessions. All elections that want the same share one call, with two exceptions: an end
 * or a tombstone concerns one session only, and changes that have failed are tried again
 * in smaller groups. The loop makes the call without holding a lock, and within a time
 * limit that leaves enough time for the next renewal. The answer, or the lack of one, is
 * an event for each election concerned, under the lock of the registry; deadlines count
 * from before the call was sent. What follows from the new state is carried out, and the
 * loop asks again. When there is nothing to do, it sleeps until the time that the
 * protocol names, or until it is woken.
 * <p>
 * The loop begins no call before the previous one was answered or given up. So only the
 * answer to a taking makes a leader, and only if the session that the lease names is
 * still valid at that moment.
 *
 * <h2>Threads</h2>
 * <ul>
 * <li>{@code leader-election-loop} makes all store calls except the watch, and except
 * requests for a handover and pauses of an election, which run on the thread of the
 * caller.</li>
 * <li>{@code leader-election-watch} waits for pushed changes of leases, and passes them
 * on. They are hints: where it matters, the lease itself is read.</li>
 * <li>{@code leader-election-timer} notices that a deadline has passed while a call keeps
 * the loop busy, and carries out the loss. {@code Leadership.isHeld} does not depend on
 * it: it turns false by the clocks alone.</li>
 * <li>Callbacks of candidates run on threads of their own, and gated calls on the threads
 * of their callers. None of them runs under the lock of the registry, or on one of these
 * three threads.</li>
 * </ul>
 * What a user asks for takes effect before the call returns. That is why there is one
 * lock, and no queue of requests: a request that is still in a queue would not have taken
 * effect when the call returns.
 * <p>
 * Any step can fail with an exception. What follows from a change of leadership is
 * therefore done first and logged last, and what has failed is tried again.
 */
@NullMarked
package io.github.leaderelection.engine;

import org.jspecify.annotations.NullMarked;
