package io.github.leaderelection.protocol;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate learns about an election: what the store has answered or pushed, what
 * people want, how work ends, and that time passes.
 */
public sealed interface ElectionEvent {

	/** Return the state that follows, see {@link ElectionProtocol#on}. */
	ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now);

	// What the store has answered

	/**
	 * The lease was read.
	 *
	 * @param lease the lease, {@code null} if there is none
	 * @param sentAt before the read was sent
	 * @param pushed whether changes are pushed
	 */
	record Read(@Nullable Lease lease, Moment sentAt, boolean pushed) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.read(state, this.lease, this.sentAt, this.pushed, now);
		}

	}

	/**
	 * Something was read that is no lease, or none that anybody can follow.
	 *
	 * @param pushed whether changes are pushed
	 */
	record ReadDamage(boolean pushed) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.readDamage(state, this.pushed, now);
		}

	}

	/**
	 * The attempt to create the lease was answered.
	 *
	 * @param done whether it was created
	 */
	record Created(boolean done) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.created(state, this.done, now);
		}

	}

	/**
	 * The lease was taken.
	 *
	 * @param lease the lease as it is now
	 * @param valid whether the session that it names is still good now that the answer is
	 * there
	 * @param sentAt before the call was sent
	 */
	record Taken(Lease lease, boolean valid, Moment sentAt) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.taken(state, this.lease, this.valid, this.sentAt, now);
		}

	}

	/**
	 * The lease is not known to have been taken: somebody else was faster, or it was one
	 * of several.
	 *
	 * @param expected the lease as it was expected
	 */
	record TakeRefused(Lease expected) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.takeRefused(state, this.expected, now);
		}

	}

	/**
	 * The lease was given back.
	 *
	 * @param expected the lease as it was expected
	 * @param successor the candidate it was left to, {@code null} for any
	 */
	record Released(Lease expected, @Nullable String successor) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.released(state, this.expected, this.successor, now);
		}

	}

	/**
	 * The lease is not known to have been given back: it was not as expected, or it was
	 * one of several.
	 *
	 * @param expected the lease as it was expected
	 */
	record ReleaseRefused(Lease expected) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.releaseRefused(state, this.expected, now);
		}

	}

	/**
	 * Nothing is known to be in the way of a change of this lease: something else was
	 * answered for it, or other calls fail as well.
	 */
	record Unhindered() implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.unhindered(state, now);
		}

	}

	/**
	 * A call has failed: nobody knows what the store has done, or will do.
	 *
	 * @param command what was asked for this election
	 */
	record Unanswered(Command command) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.unanswered(state, this.command, now);
		}

	}

	// What was pushed

	/**
	 * A change was pushed. It may be late.
	 *
	 * @param lease the lease as it was after the change
	 * @param pushed whether changes are pushed
	 */
	record Pushed(Lease lease, boolean pushed) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.pushed(state, this.lease, this.pushed, now);
		}

	}

	/**
	 * The lease is said to be gone, or to be somebody else's. That may be about an
	 * earlier one, or be late: a record was removed and made again, and this term began
	 * after that. So it ends no term, but is looked into at once.
	 */
	record Doubted() implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.doubted(state, now);
		}

	}

	/**
	 * Something may have changed: read at once. A leader does not do so as soon: nobody
	 * knows how often this is said, and of what.
	 */
	record Hinted() implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.hinted(state, now);
		}

	}

	/**
	 * Something may have changed, as it often does.
	 *
	 * @param time when to read at the latest; monotonic time
	 */
	record HintedBy(long time) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return state.readAt(Moment.earlier(this.time, state.nextRead()));
		}

	}

	// What this process does

	/**
	 * This process wants something else.
	 *
	 * @param wish what it wants
	 */
	record Wished(Wish wish) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.wished(state, this.wish, now);
		}

	}

	/**
	 * The term is to be handed over, if one is led.
	 *
	 * @param reason why
	 * @param successor the candidate to leave the lease to, {@code null} for any
	 */
	record Resigned(LossReason reason, @Nullable String successor) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.handOver(state, new TermState.Handover(this.reason, this.successor, null, now));
		}

	}

	/**
	 * The term is over by the clocks, or its session is.
	 *
	 * @param number the number of the term
	 * @param reason why it is over
	 */
	record Ended(long number, LossReason reason) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.ended(state, this.number, this.reason, now);
		}

	}

	/**
	 * All work and all callbacks of the term have ended.
	 *
	 * @param number the number of the term
	 * @param leftBehind except those that wait for this process to end, or to close. They
	 * may go on when it has closed, so the lease is not released but left as it is,
	 * whoever shows it: it can be taken when this process has been gone for its time to
	 * live. This process, which never stands again, need not wait for their end.
	 */
	record Settled(long number, boolean leftBehind) implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.settled(state, this.number, this.leftBehind, now);
		}

	}

	/**
	 * What this process has taken can't be led: it has no session that vouches for it.
	 */
	record Unvouched() implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			Lease lease = state.presentLease();
			return (lease != null) ? protocol.giveBack(state, lease, now) : state;
		}

	}

	/** Time has passed. */
	record Elapsed() implements ElectionEvent {

		@Override
		public ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now) {
			return protocol.elapsed(state, now);
		}

	}

}
