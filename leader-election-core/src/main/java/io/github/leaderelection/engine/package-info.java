/**
 * Carries out what the {@linkplain io.github.leaderelection.protocol protocol} decides,
 * with no framework: asks the store, and does inside this process what follows.
 *
 * <h2>Who does what</h2>
 * <ul>
 * <li>{@code ElectionRegistry} has all elections of this process by name, and the lock
 * under which they change. Each is an {@code ElectionMember}: it keeps the state, hands
 * what was learnt to the protocol, and has done what follows. For each term there is one
 * {@code TermReconciler}, which compares where the term stands with what it has done: it
 * opens the gate, tells the {@code Candidates}, waits for work, and says when all is
 * settled. What has failed is still pending.</li>
 * <li>What users see of a leadership is a {@code Term}; {@code GatedCalls} are the calls
 * inside it, and {@code CandidateCallbacks} what a candidate is told. A {@code WorkScope}
 * is the time that a thread spends inside either: it knows what the thread works for, and
 * whether it is interrupted for it. {@code ListenerNotifier} tells listeners.
 * {@code Freshness} and {@code StatusReport} decide nothing: they tell people how it all
 * fares.</li>
 * <li>{@code OwnSession} keeps the state of one own session, and the {@code Deadline} of
 * all terms under it. {@code Sessions} has one for each time to live, and remembers what
 * was seen of others.</li>
 * <li>{@code EventLoop} is what time brings, and what the thread does that makes the
 * calls; a simulation runs it without one. Its {@code CommandPlanner} makes of what all
 * elections want at one moment the {@code StoreCall} that is most urgent; the
 * {@code Agenda} knows which of them need attention, and when the others do.
 * {@code StoreCalls} knows how each call is made, and {@code Answers} which events follow
 * from what it brings, or from what is pushed. {@code MemberDirectory} makes this process
 * known to people, when nothing else is due.</li>
 * <li>{@link io.github.leaderelection.engine.ElectionEngine} has the threads, and is what
 * others use. What all share of their surroundings is in {@code EngineContext}.</li>
 * </ul>
 *
 * <h2>How a resignation goes</h2> {@code ElectionRegistry.resign} hands the event to the
 * member, whose term is draining then. Its reconciler lets no further call in, and looks
 * again whenever a call or callback has ended. When none is left it reports that the term
 * is settled: the term is releasing. So the protocol wants the lease to be released, and
 * the answer to that call ends the term. A loss goes the same way, but the term has ended
 * at once, and its lease is given back though work may go on.
 *
 * <h2>How a call goes round</h2> The loop asks {@code EventLoop.poll} for the call that
 * is most urgent. Only elections that need attention are asked what they want: those
 * which have changed, whose time has come, or whose work is ending; and each once a
 * second, which heals whatever was forgotten. Renewals come first; then what is given
 * back, what is taken, what is ended, what is created; then reads of leases and of
 * sessions; and last what has failed before. All elections that want the same share one
 * call, but for ends, of which each concerns one process, and for what has failed, which
 * is tried apart. The loop makes the call with no lock held, and within a time limit that
 * leaves enough for the next renewal. The answer, or that there was none, is an event for
 * each election concerned, under the lock of the registry; deadlines count from before
 * the call was sent. What follows from the next state is done, and the loop asks again.
 * When there is nothing to do it sleeps until the time that the protocol names, or until
 * it is woken.
 * <p>
 * No second call begins before the first was answered or given up. So a leader is made by
 * the answer to a taking, if the session that the lease names is still good at that
 * moment, and by nothing else.
 *
 * <h2>Threads</h2>
 * <ul>
 * <li>{@code leader-election-loop} makes all calls of the store but the watch.</li>
 * <li>{@code leader-election-watch} waits for changes of leases that are pushed, and
 * passes them on. They are hints; what they are about is read where it matters.</li>
 * <li>{@code leader-election-timer} notices that a deadline has come while the loop is
 * held up by a call. It carries out the loss. {@code Leadership.isHeld} tells without it,
 * from the clocks, that leadership is over.</li>
 * <li>Callbacks of candidates run on threads of their own, gated calls on those of their
 * callers. None runs under the lock of the registry, nor on one of the three
 * threads.</li>
 * </ul>
 * What users ask for takes effect before their call returns. That is why there is one
 * lock, and no queue of wishes: an event that waits in a queue has not happened yet for
 * whoever has caused it.
 * <p>
 * Anything may throw. What follows from a change of leadership is done first and logged
 * last, and what has failed is tried again.
 */
@NullMarked
package io.github.leaderelection.engine;

import org.jspecify.annotations.NullMarked;
