package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.PauseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeat of this process for all elections with one time to live: keeps its state,
 * and the belief that follows from it. Used under the lock of {@link Elections} only.
 */
final class OwnHeartbeat {

	private final Function<Rhythm, HeartbeatProtocol> protocols;

	private final EngineClock clock;

	private HeartbeatProtocol protocol;

	private HeartbeatState state;

	private @Nullable Belief belief;

	/** Before the epoch was entered, raised or looked for. */
	private Moment since;

	/** Before the last beat was sent that was acknowledged. */
	private @Nullable Moment confirmedAt;

	/** Whether the last call has failed. */
	private boolean failing;

	private boolean entered;

	/** The ids of the requests that were shown last: they have been obeyed. */
	private Set<String> obeyed = Set.of();

	OwnHeartbeat(Rhythm rhythm, Function<Rhythm, HeartbeatProtocol> protocols, EngineClock clock) {
		this.protocols = protocols;
		this.clock = clock;
		this.protocol = protocols.apply(rhythm);
		this.since = clock.now();
		this.state = this.protocol.begin(this.since);
	}

	/** From now on it goes at a pace that is good for this one, too. */
	void join(Rhythm rhythm) {
		Rhythm both = this.protocol.rhythm().with(rhythm);
		if (!both.equals(this.protocol.rhythm())) {
			this.protocol = this.protocols.apply(both);
		}
	}

	HeartbeatProtocol protocol() {
		return this.protocol;
	}

	/** Return the heartbeat as it stands, if it may have been entered. */
	@Nullable Heartbeat entered() {
		return this.entered ? new Heartbeat(this.protocol.id(), this.state.epoch(), this.state.beat(),
				this.protocol.rhythm().ttl(), null) : null;
	}

	/**
	 * Return the belief under which a lease can be taken and led now, {@code null} if
	 * there is none.
	 */
	@Nullable Belief belief() {
		Belief present = isBeating() ? present() : null;
		return (present != null && present.isHeld()) ? present : null;
	}

	/** Return the last belief there was, held or not. */
	@Nullable Belief lastBelief() {
		return this.belief;
	}

	/** Return the heartbeat that vouches for leases that are taken now. */
	Heartbeat current() {
		return new Heartbeat(this.protocol.id(), this.state.epoch(), this.state.beat(), this.protocol.rhythm().ttl(),
				null);
	}

	/** Return how long ago the last acknowledged beat was sent. */
	@Nullable Duration sinceConfirmed(Moment now) {
		Moment at = this.confirmedAt;
		return (at != null) ? Duration.ofNanos(now.nanos() - at.nanos()) : null;
	}

	/**
	 * Return whether it should have been acknowledged by now: a call that was due has had
	 * all the time it may take.
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
	@Nullable HeartbeatIntent intent(Moment now) {
		leaveIfOver(now);
		return this.protocol.intent(this.state, now);
	}

	/**
	 * A belief that is over is good for nothing, and so is its epoch: try for others at
	 * once.
	 */
	private void leaveIfOver(Moment now) {
		if (isBeating() && this.protocol.isOver(present(), this.since, now)) {
			this.state = this.protocol.left(this.state, now);
		}
	}

	private boolean isBeating() {
		return this.state.phase() == HeartbeatState.Phase.BEATING;
	}

	/** Return the last belief there was under this epoch, held or not. */
	private @Nullable Belief present() {
		Belief last = this.belief;
		return (last != null && last.epoch() == this.state.epoch()) ? last : null;
	}

	/** Something is to be vouched for: beat as often as others expect it. */
	void hurry(Moment now) {
		Moment at = this.confirmedAt;
		if (isBeating()) {
			long next = (at != null) ? at.plus(this.protocol.rhythm().interval()).nanos() : now.nanos();
			if (next - this.state.nextCall() < 0) {
				this.state = this.state.at(next);
			}
		}
	}

	/** A call is about to be sent. */
	void sending(HeartbeatIntent intent, Moment now) {
		if (!(intent instanceof HeartbeatIntent.Beat)) {
			this.since = now;
		}
		if (intent instanceof HeartbeatIntent.Beat || intent instanceof HeartbeatIntent.Enter) {
			this.state = this.state.sent();
		}
		this.entered |= intent instanceof HeartbeatIntent.Enter;
	}

	void entered(boolean done, Moment sentAt, Moment now) {
		this.failing = false;
		if (done) {
			this.state = this.protocol.entered(this.state, sentAt);
			believe(sentAt, now);
		}
		else {
			this.state = this.protocol.occupied(this.state, now);
		}
	}

	/**
	 * A beat was answered.
	 * @param pause how long after this one to send the next
	 * @return whether the epoch goes on
	 */
	boolean beaten(boolean matched, Duration pause, Moment sentAt, Moment now) {
		this.failing = false;
		if (!matched) {
			end(LossReason.TAKEN_OVER);
			this.state = this.protocol.left(this.state, now);
			return false;
		}
		this.state = this.protocol.acknowledged(this.state, pause, sentAt);
		believe(sentAt, now);
		return true;
	}

	/**
	 * Obey what an acknowledged beat shows, each request once, and of several about one
	 * election the last: who is resumed before it has heard of a pause goes on. What
	 * fails is shown again with the next beat.
	 * @param requests what is shown, in the order in which it was left
	 */
	void obey(List<PauseRequest> requests, Consumer<PauseRequest> action) {
		Map<String, PauseRequest> last = new LinkedHashMap<>();
		for (PauseRequest request : requests) {
			if (!this.obeyed.contains(request.id())) {
				last.put(request.election(), request);
			}
		}
		Failures.forEach(last.values(), action);
		this.obeyed = requests.stream().map(PauseRequest::id).collect(Collectors.toUnmodifiableSet());
	}

	private void believe(Moment sentAt, Moment now) {
		this.belief = this.protocol.believe(this.belief, this.state.epoch(), sentAt, now, this.clock);
		this.confirmedAt = sentAt;
	}

	void looked(@Nullable Heartbeat own, Moment now) {
		this.state = this.protocol.looked(this.state, own, now);
	}

	void raised(boolean done, Moment now) {
		this.state = this.protocol.raised(this.state, done, now);
	}

	/** Return whether the last call has failed. */
	boolean isFailing() {
		return this.failing;
	}

	void failed(Moment now) {
		this.failing = true;
		this.state = this.protocol.failed(this.state, now);
	}

	/** End all that it vouches for. */
	void end(LossReason reason) {
		Belief present = this.belief;
		if (present != null) {
			present.end(reason);
		}
	}

}
