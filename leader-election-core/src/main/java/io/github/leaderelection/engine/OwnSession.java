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
 * The session of this process for all elections with one time to live: keeps its state,
 * and the deadline that follows from it. Used under the lock of {@link ElectionRegistry}
 * only.
 */
final class OwnSession {

	private final Function<Timing, SessionProtocol> protocols;

	private final EngineClock clock;

	private SessionProtocol protocol;

	private SessionState state;

	private @Nullable Deadline deadline;

	/**
	 * How often in a row it was seen that another process is ready to take over, and that
	 * it is its turn.
	 */
	private int spares;

	/** In how many elections it is led, or handed over, under this session. */
	private int vouchedFor;

	/** In how many elections this process stands. */
	private int stoodIn;

	/** In how many something is held, or may have been taken. */
	private int busyIn;

	/** In how many both. */
	private int stoodInBusy;

	/** Create a session that is not stored yet. */
	OwnSession(Timing timing, Function<Timing, SessionProtocol> protocols, EngineClock clock) {
		this.protocols = protocols;
		this.clock = clock;
		this.protocol = protocols.apply(timing);
		this.state = this.protocol.begin(clock.now());
	}

	/** From now on it goes by this timing, too. */
	void join(Timing timing) {
		Timing both = this.protocol.timing().with(timing);
		if (!both.equals(this.protocol.timing())) {
			this.protocol = this.protocols.apply(both);
		}
	}

	SessionProtocol protocol() {
		return this.protocol;
	}

	/** Return the session as it was stored last, {@code null} if there is none. */
	@Nullable Session stored() {
		return (this.state.phase() != Phase.NEW) ? current() : null;
	}

	/** Return whether this is the session that the process goes on under. */
	boolean isCurrent(Session seen) {
		return seen.number() == this.state.number();
	}

	/**
	 * Return the deadline under which a lease can be taken and led now, {@code null} if
	 * there is none.
	 */
	@Nullable Deadline valid() {
		Deadline present = present();
		return (present != null && present.isHeld() && !this.state.isUnproven()) ? present : null;
	}

	/**
	 * Return the deadline under which this lease can be led now, {@code null} if there is
	 * none: it names another session, or one that is over.
	 */
	@Nullable Deadline valid(Lease lease) {
		return (lease.session() == this.state.number()) ? valid() : null;
	}

	/** Return the last deadline there was, held or not. */
	@Nullable Deadline lastDeadline() {
		return this.deadline;
	}

	/** Return the session that vouches for leases that are taken now. */
	Session current() {
		return this.protocol.session(this.state);
	}

	/** Return how long ago the last acknowledged renewal was sent. */
	@Nullable Duration sinceConfirmed(Moment now) {
		Moment at = this.state.confirmedAt();
		return (at != null) ? now.since(at) : null;
	}

	/**
	 * Return whether it should have been renewed by now: a call that was due has had all
	 * the time it may take.
	 */
	boolean isOverdue(Moment now) {
		Duration since = sinceConfirmed(now);
		Timing timing = this.protocol.timing();
		return since != null && since.compareTo(timing.renewInterval().plus(timing.timeout())) >= 0;
	}

	/**
	 * Return what is to be done next. A session whose deadline has passed is good for
	 * nothing, and others may have ended it: another is begun at once.
	 */
	SessionState state(Moment now) {
		Deadline present = present();
		if (present != null && !present.isHeld()) {
			this.state = this.protocol.over(this.state, now);
		}
		return this.state;
	}

	/** Return the last deadline there was of this session, held or not. */
	private @Nullable Deadline present() {
		return (this.state.validUntil() != null) ? this.deadline : null;
	}

	/** Take note of what becomes of an election that goes by this session. */
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
	 * Return whether this process must be known to live: it holds something, or is to
	 * take over at any moment. One of several is enough for that.
	 */
	boolean isNeeded() {
		return this.vouchedFor > 0 || this.stoodInBusy > 0 || (this.stoodIn > 0 && !isSpare());
	}

	/** Return whether no lease names it, nor may come to name it. */
	boolean isUnused() {
		return this.busyIn == 0;
	}

	/** Return whether something is vouched for. */
	boolean isVouching() {
		return this.vouchedFor > 0;
	}

	/** Another process is ready to take over, and it is its turn, or none is. */
	void spared(boolean spare) {
		this.spares = spare ? this.spares + 1 : 0;
	}

	/** Return whether another process is ready, for some time now, to take over. */
	boolean isSpare() {
		return this.spares > 1;
	}

	/** It was closed, or is about to be: go on under another, if ever. */
	void rest(Moment now) {
		this.state = this.protocol.over(this.state, now);
	}

	/** Something is to be vouched for: renew as often as others expect it. */
	void needed(Moment now) {
		this.spares = 0;
		this.state = this.protocol.needed(this.state, now);
	}

	/** The next revision is about to be sent. */
	void sending(Moment now) {
		this.state = this.protocol.sending(this.state, now);
	}

	void inserted(boolean done, Moment now) {
		become(this.protocol.inserted(this.state, done, this.protocol.timing().renewInterval(), now));
	}

	/**
	 * A renewal was answered.
	 * @param interval how long after this one to send the next
	 */
	void renewed(boolean done, Duration interval, Moment now) {
		become(this.protocol.renewed(this.state, done, interval, now));
	}

	/**
	 * A read has shown the own session, or none.
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
			// What was found to be over stays so.
			if (present == null) {
				this.deadline = new Deadline(validUntil, this.clock);
			}
			else {
				present.extend(validUntil);
			}
		}
	}

	/** Return whether a call has failed that was not made again with success since. */
	boolean isFailing() {
		return this.state.failedIn() != null;
	}

	void unanswered(Moment now) {
		this.state = this.protocol.unanswered(this.state, now);
	}

	/** End all that it vouches for. */
	void end(LossReason reason) {
		Deadline present = this.deadline;
		if (present != null) {
			present.end(reason);
		}
	}

}
