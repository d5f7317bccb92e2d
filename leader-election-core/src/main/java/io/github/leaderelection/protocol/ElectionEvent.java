package io.github.leaderelection.protocol;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate learns about an election: answers of the store, pushed changes, wishes
 * of this process, the end of work, and the passing of time. {@code pushed} tells whether
 * changes are pushed at present, {@code sentAt} is the time before a call was sent, and
 * {@code expected} is the lease as a change expected it.
 */
@FunctionalInterface
public interface ElectionEvent {

	/** Return the state that follows, see {@link ElectionProtocol#on}. */
	ElectionState on(ElectionProtocol protocol, ElectionState state, Moment now);

	// What the store has answered

	/** The lease was read, {@code null} if there is none. */
	static ElectionEvent read(@Nullable Lease lease, Moment sentAt, boolean pushed) {
		return (protocol, state, now) -> protocol.read(state, lease, sentAt, pushed, now);
	}

	/** What was read is no lease, or one after which nobody could lead. */
	static ElectionEvent readDamage(Moment sentAt, boolean pushed) {
		return (protocol, state, now) -> protocol.readDamage(state, sentAt, pushed, now);
	}

	/** The insert of a lease was answered. */
	static ElectionEvent created(boolean done) {
		return (protocol, state, now) -> protocol.created(state, done, now);
	}

	/** The lease was taken; {@code valid} tells whether its session is still valid. */
	static ElectionEvent taken(Lease lease, boolean valid, Moment sentAt) {
		return (protocol, state, now) -> protocol.taken(state, lease, valid, sentAt, now);
	}

	/** The taking was refused, or the answer for several leases leaves it open. */
	static ElectionEvent takeRefused(Lease expected) {
		return (protocol, state, now) -> protocol.takeRefused(state, expected, now);
	}

	/** The lease was released and left to the successor, {@code null} for any. */
	static ElectionEvent released(Lease expected, @Nullable String successor) {
		return (protocol, state, now) -> protocol.released(state, expected, successor, now);
	}

	/** The release was refused, or the answer for several leases leaves it open. */
	static ElectionEvent releaseRefused(Lease expected) {
		return (protocol, state, now) -> protocol.releaseRefused(state, expected, now);
	}

	/**
	 * Failures have nothing to do with this lease: another call for it was answered, or
	 * calls for other things fail, too.
	 */
	static ElectionEvent unhindered() {
		return ElectionProtocol::unhindered;
	}

	/** A call has failed: what the store has done, or will do, is unknown. */
	static ElectionEvent unanswered(Command command) {
		return (protocol, state, now) -> protocol.unanswered(state, command, now);
	}

	// What was pushed

	/** A change was pushed, perhaps late, that made the lease this. */
	static ElectionEvent pushed(Lease lease, boolean pushed) {
		return (protocol, state, now) -> protocol.pushed(state, lease, pushed, now);
	}

	/**
	 * The lease is said to be gone, or to be held by another candidate. That may be late:
	 * the record may have been removed and made anew before this term began. So this ends
	 * no term, but the lease is read at once.
	 */
	static ElectionEvent doubted() {
		return ElectionProtocol::doubted;
	}

	/**
	 * Something may have changed. A follower reads at once, a leader within a poll
	 * interval: hints may come often, and from anywhere.
	 */
	static ElectionEvent hinted() {
		return ElectionProtocol::hinted;
	}

	/** Something may have changed: a follower reads by this monotonic time. */
	static ElectionEvent hintedBy(long time) {
		return (protocol, state, now) -> state.readAt(Moment.earlier(time, state.nextRead()));
	}

	// What this process does

	/** This process wants something else. */
	static ElectionEvent wished(Wish wish) {
		return (protocol, state, now) -> protocol.wished(state, wish, now);
	}

	/** The leader, if this is one, hands over to the successor, {@code null} for any. */
	static ElectionEvent resigned(LossReason reason, @Nullable String successor) {
		return (protocol, state, now) -> protocol.handOver(state, new TermState.Handover(reason, successor, null, now));
	}

	/** The deadline of this term has passed, or its session is over. */
	static ElectionEvent ended(long number, LossReason reason) {
		return (protocol, state, now) -> protocol.ended(state, number, reason, now);
	}

	/** All work and all callbacks of this term have ended. */
	static ElectionEvent settled(long number) {
		return (protocol, state, now) -> protocol.settled(state, number, now);
	}

	/** This process holds the lease, but has no valid session to lead it under. */
	static ElectionEvent unvouched() {
		return (protocol, state, now) -> {
			Lease lease = state.presentLease();
			return (lease != null) ? protocol.giveBack(state, lease, now) : state;
		};
	}

	/** Time has passed. */
	static ElectionEvent elapsed() {
		return ElectionProtocol::elapsed;
	}

}
