package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * The session of this process for all elections with the same time to live: its state,
 * and the deadline derived from it. Used only under the lock of {@link ElectionRegistry}.
 */
final class OwnSession {

	private final Function<Timing, SessionProtocol> protocols;

	private final EngineClock clock;

	private SessionProtocol protocol;

	private SessionState state;

	private @Nullable Deadline deadline;

	/**
	 * How many times in a row another process was found to be the one that stands by to
	 * take over.
	 */
	private int spares;

	/** The number of elections that are led or handed over under this session. */
	private int vouchedFor;

	/** The number of elections in which this process stands. */
	private int stoodIn;

	/** The number of elections whose lease this process holds or may have taken. */
	private int busyIn;

	/** The number of elections that count in both of the above. */
	private int stoodInBusy;

	/** Create a session that is not stored yet. */
	OwnSession(Timing timing, Function<Timing, SessionProtocol> protocols, EngineClock clock) {
		this.protocols = protocols;
		this.clock = clock;
		this.protocol = protocols.apply(timing);
		this.state = this.protocol.begin(clock.now());
	}

	/** Apply the timing of another election where it is stricter. */
	void join(Timing timing) {
		Timing both = this.protocol.timing().with(timing);
		if (!both.equals(this.protocol.timing())) {
			this.protocol = this.protocols.apply(both);
		}
	}

	SessionProtocol protocol() {
		return this.protocol;
	}

	/** Return the session as last stored, {@code null} if there is none. */
	@Nullable Session stored() {
		return (this.state.phase() != Phase.NEW) ? current() : null;
	}

	/** Return whether this is the current session, not a former one of this process. */
	boolean isCurrent(Session seen) {
		return seen.number() == this.state.number();
	}

	/**
	 * Return the deadline for a lease that is taken or led now, {@code null} if this
	 * session can't vouch for any.
	 */
	@Nullable Deadline valid() {
		Deadline present = present();
		return (present != null && present.isHeld() && !this.state.isUnproven()) ? present : null;
	}

	/**
	 * Return the deadline for leading under this lease now, {@code null} if the lease
	 * names another session, or this one can't vouch for it.
	 */
	@Nullable Deadline valid(Lease lease) {
		return (lease.session() == this.state.number()) ? valid() : null;
	}

	/**
	 * Return the latest deadline, passed or not, perhaps that of a former session;
	 * {@code null} if there was none.
	 */
	@Nullable Deadline lastDeadline() {
		return this.deadline;
	}

	/** Return the session that vouches for leases that are taken now. */
	Session current() {
		return this.protocol.session(this.state);
	}

	/**
	 * Return how long ago the last acknowledged renewal was sent, {@code null} if none
	 * was.
	 */
	@Nullable Duration sinceConfirmed(Moment now) {
		Moment at = this.state.confirmedAt();
		return (at != null) ? now.since(at) : null;
	}

	/**
	 * Return whether a renewal is overdue: it was due, and the time limit of its call has
	 * passed since, without an acknowledgment.
	 */
	boolean isOverdue(Moment now) {
		Duration since = sinceConfirmed(now);
		Timing timing = this.protocol.timing();
		return since != null && since.compareTo(timing.renewInterval().plus(timing.timeout())) >= 0;
	}

	/**
	 * Return the present state, which says what to do next. If the deadline has passed,
	 * begin a new session at once: the old one vouches for nothing, and others may have
	 * ended it.
	 */
	SessionState state(Moment now) {
		Deadline present = present();
		if (present != null && !present.isHeld()) {
			this.state = this.protocol.over(this.state, now);
		}
		return this.state;
	}

	/**
	 * Return the deadline of the current session, passed or not; {@code null} if it has
	 * none.
	 */
	private @Nullable Deadline present() {
		return (this.state.validUntil() != null) ? this.deadline : null;
	}

	/** Update the counts after a change in an election that uses this session. */
	void use(ElectionState before, ElectionState next) {
		this.vouchedFor += difference(before.isVouchedFor(), next.isVouchedFor());
		this.stoodIn += difference(before.stands(), next.stands());
		this.busyIn += difference(before.isBusy(), next.isBusy());
		this.stoodInBusy += difference(before.stands() && before.isBusy(), next.stands() && next.isBusy());
	}

	private static int difference(boolean before, boolean next) {
		return (next ? 1 : 0) - (before ? 1 : 0);
	}

	/**
	 * Return whether this session must be kept alive: this process leads or hands over;
	 * or it stands in an election whose lease it holds or may have taken, or in which it
	 * stands by to take over at any moment. One process that stands by is enough, so a
	 * spare one needs no session.
	 */
	boolean isNeeded() {
		return this.vouchedFor > 0 || this.stoodInBusy > 0 || (this.stoodIn > 0 && !isSpare());
	}

	/** Return whether no lease names this session, or may come to name it. */
	boolean isUnused() {
		return this.busyIn == 0;
	}

	/** Return whether this session vouches for any lease. */
	boolean isVouching() {
		return this.vouchedFor > 0;
	}

	/**
	 * Note whether another process was found to be the one that stands by to take over.
	 */
	void spared(boolean spare) {
		this.spares = spare ? this.spares + 1 : 0;
	}

	/** Return whether another process has stood by for some time to take over. */
	boolean isSpare() {
		return this.spares > 1;
	}

	/**
	 * Leave this session, which is closed or about to be. Begin another only if needed.
	 */
	void rest(Moment now) {
		this.state = this.protocol.over(this.state, now);
	}

	/** Prepare to vouch for a lease: renew as often as other processes expect. */
	void needed(Moment now) {
		this.spares = 0;
		this.state = this.protocol.needed(this.state, now);
	}

	/** Note that the next revision is about to be sent. */
	void sending(Moment now) {
		this.state = this.protocol.sending(this.state, now);
	}

	void inserted(boolean done, Moment now) {
		become(this.protocol.inserted(this.state, done, this.protocol.timing().renewInterval(), now));
	}

	/**
	 * Handle the answer to a renewal.
	 * @param done whether the renewal replaced the revision it expected
	 * @param interval how long after this renewal to send the next
	 */
	void renewed(boolean done, Duration interval, Moment now) {
		become(this.protocol.renewed(this.state, done, interval, now));
	}

	/**
	 * Handle a read of this session.
	 * @param own the session as stored, {@code null} if it is missing
	 * @param interval how long after a renewal to send the next
	 * @return whether the session goes on
	 */
	boolean shown(@Nullable Session own, Duration interval, Moment now) {
		SessionState next = this.protocol.shown(this.state, own, interval, now);
		boolean goesOn = next.number() == this.state.number();
		if (!goesOn) {
			end(LossReason.TAKEN_OVER);
		}
		become(next);
		return goesOn;
	}

	private void become(SessionState next) {
		Deadline present = present();
		this.state = next;
		Moment validUntil = next.validUntil();
		if (validUntil != null) {
			// Extending a deadline that was found to have passed has no effect.
			if (present == null) {
				this.deadline = new Deadline(validUntil, this.clock);
			}
			else {
				present.extend(validUntil);
			}
		}
	}

	/** Return whether a call has failed, and not succeeded since. */
	boolean isFailing() {
		return this.state.failedIn() != null;
	}

	void unanswered(Moment now) {
		this.state = this.protocol.unanswered(this.state, now);
	}

	/** End all terms under this session. */
	void end(LossReason reason) {
		Deadline present = this.deadline;
		if (present != null) {
			present.end(reason);
		}
	}

}
