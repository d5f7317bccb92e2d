package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.SessionState.Phase;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * The session of this process for all elections with one time to live: keeps its state,
 * and the belief that follows from it. Used under the lock of {@link Elections} only.
 */
final class OwnSession {

	private final Function<Rhythm, SessionProtocol> protocols;

	private final LongSupplier numbers;

	private final EngineClock clock;

	private SessionProtocol protocol;

	private SessionState state;

	private @Nullable Belief belief;

	/** Before the last revision was sent that is proven to have been stored. */
	private @Nullable Moment confirmedAt;

	/** Where the last call has failed that was not made again with success since. */
	private @Nullable Phase failedIn;

	/**
	 * Create a session that is not stored yet.
	 * @param numbers gives numbers that were never used before
	 */
	OwnSession(Rhythm rhythm, Function<Rhythm, SessionProtocol> protocols, LongSupplier numbers, EngineClock clock) {
		this.protocols = protocols;
		this.numbers = numbers;
		this.clock = clock;
		this.protocol = protocols.apply(rhythm);
		this.state = this.protocol.begin(numbers.getAsLong(), clock.now().nanos());
	}

	/** From now on it goes at a pace that is good for this one, too. */
	void join(Rhythm rhythm) {
		Rhythm both = this.protocol.rhythm().with(rhythm);
		if (!both.equals(this.protocol.rhythm())) {
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
	 * Return the belief under which a lease can be taken and led now, {@code null} if
	 * there is none.
	 */
	@Nullable Belief belief() {
		Belief present = present();
		return (present != null && present.isHeld() && !isUnproven()) ? present : null;
	}

	/**
	 * Return whether sessions can be created, but could not be renewed. One that is
	 * created then is good for nothing before it was renewed: this process would lead
	 * again and again, until each of them runs out.
	 */
	private boolean isUnproven() {
		return this.failedIn == Phase.ALIVE && this.state.revision() <= 1;
	}

	/** Return the last belief there was, held or not. */
	@Nullable Belief lastBelief() {
		return this.belief;
	}

	/** Return the session that vouches for leases that are taken now. */
	Session current() {
		return this.protocol.session(this.state);
	}

	/** Return how long ago the last acknowledged renewal was sent. */
	@Nullable Duration sinceConfirmed(Moment now) {
		Moment at = this.confirmedAt;
		return (at != null) ? Duration.ofNanos(now.nanos() - at.nanos()) : null;
	}

	/**
	 * Return whether it should have been renewed by now: a call that was due has had all
	 * the time it may take.
	 */
	boolean isOverdue(Moment now) {
		Duration since = sinceConfirmed(now);
		Rhythm rhythm = this.protocol.rhythm();
		return since != null && since.compareTo(rhythm.interval().plus(rhythm.timeout())) >= 0;
	}

	/** Return when the next call is due; monotonic time. */
	long nextCall(Moment now) {
		leaveIfOver(now);
		return this.state.nextCall();
	}

	/** Return what to ask of the store now. */
	@Nullable SessionIntent intent(Moment now) {
		leaveIfOver(now);
		return this.protocol.intent(this.state, now);
	}

	/**
	 * A belief that is over is good for nothing, and so is its session, which others may
	 * have ended: begin another at once.
	 */
	private void leaveIfOver(Moment now) {
		Belief present = present();
		if (present != null && !present.isHeld()) {
			this.state = this.protocol.over(this.numbers.getAsLong(), now);
		}
	}

	/** Return the last belief there was in this session, held or not. */
	private @Nullable Belief present() {
		Belief last = this.belief;
		return (last != null && last.session() == this.state.number()) ? last : null;
	}

	/** Something is to be vouched for: renew as often as others expect it. */
	void hurry(Moment now) {
		Moment at = this.confirmedAt;
		if (this.state.phase() == Phase.ALIVE) {
			long next = (at != null) ? at.plus(this.protocol.rhythm().interval()).nanos() : now.nanos();
			if (next - this.state.nextCall() < 0) {
				this.state = this.state.at(next);
			}
		}
	}

	/** A call is about to be sent. */
	void sending(SessionIntent intent, Moment now) {
		if (!(intent instanceof SessionIntent.Read)) {
			this.state = this.protocol.sending(this.state, now);
		}
	}

	void created(boolean done, Moment now) {
		this.failedIn = (this.failedIn == Phase.NEW) ? null : this.failedIn;
		if (done) {
			stored(isUnproven() ? Duration.ZERO : this.protocol.rhythm().interval(), now);
		}
		else {
			this.state = this.protocol.over(this.numbers.getAsLong(), now);
		}
	}

	/**
	 * A renewal was answered.
	 * @param interval how long after this one to send the next
	 */
	void renewed(boolean done, Duration interval, Moment now) {
		this.failedIn = null;
		if (done) {
			stored(interval, now);
		}
		else {
			this.state = this.protocol.refused(this.state, now);
		}
	}

	/**
	 * A read has shown the own session, or none.
	 * @param interval how long after a renewal to send the next
	 * @return whether the session goes on
	 */
	boolean read(@Nullable Session own, Duration interval, Moment now) {
		this.failedIn = null;
		switch (this.protocol.read(this.state, own)) {
			case STORED -> stored(interval, now);
			case NOT_YET ->
				this.state = this.state.to(Phase.ALIVE, now.plus(this.protocol.rhythm().retryDelay()).nanos());
			case OVER -> {
				end(LossReason.TAKEN_OVER);
				this.state = this.protocol.over(this.numbers.getAsLong(), now);
				return false;
			}
		}
		return true;
	}

	/** The revision that was sent last was stored. */
	private void stored(Duration interval, Moment now) {
		Moment since = this.protocol.countsFrom(this.state, now);
		this.state = this.protocol.stored(this.state, interval, now);
		this.confirmedAt = since;
		Moment deadline = this.protocol.deadline(since);
		Belief present = present();
		// What was found to be over stays so.
		if (present == null) {
			this.belief = new Belief(this.state.number(), deadline, this.clock);
		}
		else {
			present.extend(deadline);
		}
	}

	/** Return whether a call has failed that was not made again with success since. */
	boolean isFailing() {
		return this.failedIn != null;
	}

	void failed(Moment now) {
		this.failedIn = (this.state.phase() == Phase.NEW) ? Phase.NEW : Phase.ALIVE;
		this.state = this.protocol.failed(this.state, this.numbers, now);
	}

	/** End all that it vouches for. */
	void end(LossReason reason) {
		Belief present = this.belief;
		if (present != null) {
			present.end(reason);
		}
	}

}
