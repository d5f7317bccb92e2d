package io.github.leaderelection.protocol;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate learns about an election: what the store has answered or pushed, what
 * people want, how work ends, and that time passes.
 */
@FunctionalInterface
public interface ElectionEvent {

	/**
	 * Return the state that follows, see
	 * {@link ElectionProtocol#on(ElectionState, ElectionEvent, Moment)}.
	 * @param protocol decides
	 * @param state the state
	 * @param now the present
	 * @return the next state
	 */
	ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now);

	// What the store has answered

	/**
	 * The lease was read.
	 * @param lease the lease, {@code null} if there is none
	 * @param sentAt before the read was sent
	 * @param pushed whether changes are pushed
	 * @return the event
	 */
	static ElectionEvent read(@Nullable Lease lease, Moment sentAt, boolean pushed) {
		return (protocol, state, now) -> protocol.read(state, lease, sentAt, pushed, now);
	}

	/**
	 * Something was read that is no lease, or none that anybody can follow.
	 * @param pushed whether changes are pushed
	 * @return the event
	 */
	static ElectionEvent readDamage(boolean pushed) {
		return (protocol, state, now) -> protocol.readDamage(state, pushed, now);
	}

	/**
	 * The attempt to create the lease was answered.
	 * @param done whether it was created
	 * @return the event
	 */
	static ElectionEvent created(boolean done) {
		return (protocol, state, now) -> protocol.created(state, done, now);
	}

	/**
	 * The lease was taken.
	 * @param lease the lease as it is now
	 * @param valid whether the session that it names is still good now that the answer is
	 * there
	 * @param sentAt before the call was sent
	 * @return the event
	 */
	static ElectionEvent taken(Lease lease, boolean valid, Moment sentAt) {
		return (protocol, state, now) -> protocol.taken(state, lease, valid, sentAt, now);
	}

	/**
	 * The lease is not known to have been taken: somebody else was faster, or it was one
	 * of several.
	 * @param expected the lease as it was expected
	 * @return the event
	 */
	static ElectionEvent takeRefused(Lease expected) {
		return (protocol, state, now) -> protocol.takeRefused(state, expected, now);
	}

	/**
	 * The lease was given back.
	 * @param expected the lease as it was expected
	 * @param successor the candidate it was left to, {@code null} for any
	 * @return the event
	 */
	static ElectionEvent released(Lease expected, @Nullable String successor) {
		return (protocol, state, now) -> protocol.released(state, expected, successor, now);
	}

	/**
	 * The lease is not known to have been given back: it was not as expected, or it was
	 * one of several.
	 * @param expected the lease as it was expected
	 * @return the event
	 */
	static ElectionEvent releaseRefused(Lease expected) {
		return (protocol, state, now) -> protocol.releaseRefused(state, expected, now);
	}

	/**
	 * Nothing is known to be in the way of a change of this lease: something else was
	 * answered for it, or other calls fail as well.
	 * @return the event
	 */
	static ElectionEvent unhindered() {
		return ElectionProtocol::unhindered;
	}

	/**
	 * A call has failed: nobody knows what the store has done, or will do.
	 * @param command what was asked for this election
	 * @return the event
	 */
	static ElectionEvent unanswered(Command command) {
		return (protocol, state, now) -> protocol.unanswered(state, command, now);
	}

	// What was pushed

	/**
	 * A change was pushed. It may be late.
	 * @param lease the lease as it was after the change
	 * @param pushed whether changes are pushed
	 * @return the event
	 */
	static ElectionEvent pushed(Lease lease, boolean pushed) {
		return (protocol, state, now) -> protocol.pushed(state, lease, pushed, now);
	}

	/**
	 * The lease is said to be gone, or to be somebody else's. That may be about an
	 * earlier one, or be late: a record was removed and made again, and this term began
	 * after that. So it ends no term, but is looked into at once.
	 * @return the event
	 */
	static ElectionEvent doubted() {
		return ElectionProtocol::doubted;
	}

	/**
	 * Something may have changed: read at once. A leader does not do so as soon: nobody
	 * knows how often this is said, and of what.
	 * @return the event
	 */
	static ElectionEvent hinted() {
		return ElectionProtocol::hinted;
	}

	/**
	 * Something may have changed, as it often does.
	 * @param time when to read at the latest; monotonic time
	 * @return the event
	 */
	static ElectionEvent hintedBy(long time) {
		return (protocol, state, now) -> state.readAt(Moment.earlier(time, state.nextRead()));
	}

	// What this process does

	/**
	 * This process wants something else.
	 * @param wish what it wants
	 * @return the event
	 */
	static ElectionEvent wished(Wish wish) {
		return (protocol, state, now) -> protocol.wished(state, wish, now);
	}

	/**
	 * The term is to be handed over, if one is led.
	 * @param reason why
	 * @param successor the candidate to leave the lease to, {@code null} for any
	 * @return the event
	 */
	static ElectionEvent resigned(LossReason reason, @Nullable String successor) {
		return (protocol, state, now) -> protocol.handOver(state, new TermState.Handover(reason, successor, null, now));
	}

	/**
	 * The term is over by the clocks, or its session is.
	 * @param number the number of the term
	 * @param reason why it is over
	 * @return the event
	 */
	static ElectionEvent ended(long number, LossReason reason) {
		return (protocol, state, now) -> protocol.ended(state, number, reason, now);
	}

	/**
	 * All work and all callbacks of the term have ended.
	 * @param number the number of the term
	 * @return the event
	 */
	static ElectionEvent settled(long number) {
		return (protocol, state, now) -> protocol.settled(state, number, now);
	}

	/**
	 * What this process has taken can't be led: it has no session that vouches for it.
	 * @return the event
	 */
	static ElectionEvent unvouched() {
		return (protocol, state, now) -> {
			Lease lease = state.presentLease();
			return (lease != null) ? protocol.giveBack(state, lease, now) : state;
		};
	}

	/**
	 * Time has passed.
	 * @return the event
	 */
	static ElectionEvent elapsed() {
		return ElectionProtocol::elapsed;
	}

}
