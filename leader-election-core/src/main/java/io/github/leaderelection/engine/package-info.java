/**
 * The election itself, with no framework: who leads, for how long, and what is done about
 * it in this process.
 *
 * <h2>Who decides what</h2>
 * <ul>
 * <li>{@code SessionProtocol} decides whether a process is alive: this one by its own
 * account, another one as far as it was watched. {@code ElectionProtocol} decides who
 * holds a lease, and what to ask of the store next. Both are functions from a state,
 * something learnt, and the time, to the next state. They hold no lock and make no call.
 * The one thing that they change is the belief of this process in its own life.</li>
 * <li>What they know is in immutable records: {@code SessionState} of the own session,
 * {@code SessionSighting} of that of another, {@code ElectionState} of an election, in it
 * the {@code Sighting} of the lease and the {@code TermState}. What they want is a
 * {@code SessionIntent} or an {@code Intent}.</li>
 * <li>{@code TermState} is the one place that tells where a term stands, from the taking
 * of the lease until all that was done in its name has ended: leading, draining, then
 * releasing, or ended, or left; how it is handed over, how it was lost. Nobody but
 * {@code ElectionProtocol} moves it on.</li>
 * </ul>
 *
 * <h2>Who does what</h2>
 * <ul>
 * <li>{@code Participation} is the part of this process in one election. It keeps the
 * state, and has done what follows from it. For each term there is one
 * {@code TermDuties}, which compares where the term stands with what it has done: it
 * opens the gate, tells the {@code Candidates}, waits for work, and says when all is
 * settled. What has failed it still owes.</li>
 * <li>What users see of a leadership is a {@code Term}; {@code GatedCalls} are the calls
 * inside it, and {@code CandidateCallbacks} what a candidate is told. A {@code WorkScope}
 * is the time that a thread spends inside either: it knows what the thread works for, and
 * whether it is interrupted for it. {@code LeaderNews} is what listeners hear.
 * {@code LeaseObservation} and {@code StatusReport} decide nothing: they tell people how
 * it all fares.</li>
 * <li>{@code OwnSession} keeps the state of one own session, and its {@code Belief}: the
 * one deadline of all terms under it. {@code Sessions} has one for each time to live, at
 * the {@code Rhythm} that suits all elections with it, and remembers what was seen of
 * others.</li>
 * <li>{@code Elections} has all participations, and the lock under which they change. Its
 * {@code Agenda} knows which of them need attention, and when the others do. A
 * {@code CallPlan} makes of what all of them want at one moment the {@code StoreCall}
 * that is most urgent; {@code StoreCalls} knows how each is made, and whom its answer
 * concerns. {@code Announcements} make this process known to people, when nothing else is
 * due.</li>
 * <li>{@code ElectionLoop} is what the thread does that makes the calls; a simulation
 * runs it without one. {@link io.github.leaderelection.engine.ElectionEngine} owns the
 * threads, and is what others use. What all share of their surroundings is in
 * {@code EngineContext}.</li>
 * </ul>
 *
 * <h2>How a resignation goes</h2> {@code Elections.resign} asks the protocol for the next
 * state, in which the term is draining, and hands it to the participation. Its
 * {@code TermDuties} let no further call in, and look again whenever a call or callback
 * has ended. When none is left they ask the protocol for the state in which all is
 * settled: the term is releasing. From that follows the intent to release the lease, and
 * from the answer to that call that the term is gone. A loss goes the same way, but the
 * term has ended at once, and its lease is given back though work may go on.
 *
 * <h2>How a call goes round</h2> The loop asks {@code Elections.poll} for the call that
 * is most urgent. Only elections that need attention are asked what they want: those
 * which have changed, whose time has come, or whose work is ending; and each once a
 * second, which heals whatever was forgotten. Renewals come first; then what is given
 * back, what is taken, what is ended, what is created; then looks at leases and at
 * sessions; and last what has failed before. All elections that want the same share one
 * call, but for ends, of which each concerns one process, and for what has failed, which
 * {@code Setbacks} tell to try apart. The loop makes the call with no lock held, and
 * within a time limit that leaves enough for the next renewal. The answer, or that there
 * was none, goes back through the protocol of each election concerned, under the lock of
 * {@code Elections}; deadlines count from before the call was sent. The resulting state
 * is kept, what follows from it is done, and the loop asks again. When there is nothing
 * to do it sleeps until the time that the protocols name, or until it is woken.
 * <p>
 * No second call begins before the first was answered or given up. So a leader is made by
 * the answer to a taking, if the belief that the lease names is held at that moment, and
 * by nothing else.
 *
 * <h2>Threads</h2>
 * <ul>
 * <li>{@code leader-election-loop} makes all calls of the store but the watch.</li>
 * <li>{@code leader-election-watch} waits for changes of leases that are pushed, and
 * passes them on. They are hints; what they are about is looked at where it matters.</li>
 * <li>{@code leader-election-timer} notices that a deadline has come while the loop is
 * held up by a call. It carries out the loss. {@code Leadership.isHeld} tells without it,
 * from the clocks, that leadership is over.</li>
 * <li>Callbacks of candidates run on threads of their own, gated calls on those of their
 * callers. None runs under the lock of {@code Elections}, nor on one of the three
 * threads.</li>
 * </ul>
 * Anything may throw. What follows from a change of leadership is done first and logged
 * last, and what has failed is tried again.
 */
@NullMarked
package io.github.leaderelection.engine;

import org.jspecify.annotations.NullMarked;
