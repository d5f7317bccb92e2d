package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * A term of this process. Whether it is held follows from its deadline and the clocks
 * alone. All threads see one order of events: once any of them has found the deadline
 * passed, no renewal that arrives late can revive the term.
 */
final class Term implements Leadership {

	private final String election;

	private final String leaseId;

	private final String candidateId;

	private final long number;

	private final EngineClock clock;

	private final AtomicReference<Status> status;

	private final GatedCalls calls;

	private volatile boolean ending;

	Term(String election, String candidateId, long number, Moment deadline, EngineClock clock, Executor lossExecutor,
			EngineObservers observers) {
		this(election, election, candidateId, number, deadline, clock, lossExecutor, observers);
	}

	Term(String election, String leaseId, String candidateId, long number, Moment deadline, EngineClock clock,
			Executor lossExecutor, EngineObservers observers) {
		this.election = election;
		this.leaseId = leaseId;
		this.candidateId = candidateId;
		this.number = number;
		this.clock = clock;
		this.status = new AtomicReference<>(new Status(deadline, null));
		this.calls = new GatedCalls(this, lossExecutor, observers);
	}

	@Override
	public String election() {
		return this.election;
	}

	@Override
	public String leaseId() {
		return this.leaseId;
	}

	@Override
	public String candidateId() {
		return this.candidateId;
	}

	@Override
	public long term() {
		return this.number;
	}

	@Override
	public boolean isHeld() {
		return current().endedBy == null;
	}

	@Override
	public Duration remaining() {
		Status current = current();
		if (current.endedBy != null) {
			return Duration.ZERO;
		}
		Moment now = this.clock.now();
		Duration monotonic = Duration.ofNanos(Math.max(0, current.deadline.nanos() - now.nanos()));
		Duration wall = Duration.ofMillis(Math.max(0, current.deadline.millis() - now.millis()));
		return (monotonic.compareTo(wall) < 0) ? monotonic : wall;
	}

	@Override
	public Optional<LossReason> lossReason() {
		return Optional.ofNullable(current().endedBy);
	}

	@Override
	public boolean isEnding() {
		return this.ending || !isHeld();
	}

	/** Ask long-running work to come to an end: the term is about to be given up. */
	void beginToEnd() {
		this.ending = true;
	}

	/**
	 * Let a call of the current thread in, if the term is held and the gate open. Asked
	 * in this order: whoever finds or makes the term ended closes the gate after that,
	 * and then sees the call, or keeps it out.
	 * @param interruptible whether to interrupt the thread if leadership is lost
	 * @return the ticket of the call, or {@link GatedCall#REFUSED}
	 */
	long enter(boolean interruptible) {
		Status current = this.status.get();
		long now = this.clock.nanos();
		boolean held = current.endedBy == null && !current.deadline.hasComeAt(now, this.clock.millis());
		// Only the former reading of the clock is kept: a call is timed from it.
		return (held || isHeld()) ? this.calls.enter(interruptible, now) : GatedCall.REFUSED;
	}

	GatedCalls calls() {
		return this.calls;
	}

	/**
	 * Move the deadline after an acknowledged renewal.
	 * @param deadline the new deadline
	 * @return whether the term was still held
	 */
	boolean extend(Moment deadline) {
		while (true) {
			Status current = current();
			if (current.endedBy != null) {
				return false;
			}
			if (current.deadline.equals(deadline)) {
				return true;
			}
			if (this.status.compareAndSet(current, new Status(deadline, null))) {
				return true;
			}
		}
	}

	/**
	 * End the term, unless it has ended already. Allocates nothing: a term can be ended
	 * when there is no memory left.
	 * @param reason why
	 */
	void end(LossReason reason) {
		while (true) {
			Status current = current();
			if (current.endedBy != null || this.status.compareAndSet(current, Status.endedBy(reason))) {
				return;
			}
		}
	}

	private Status current() {
		while (true) {
			Status current = this.status.get();
			if (current.endedBy != null || !current.deadline.hasComeAt(this.clock.nanos(), this.clock.millis())) {
				return current;
			}
			// Keep what was found: the wall clock may be set back, the answer must not
			// be.
			Status expired = Status.endedBy(LossReason.EXPIRED);
			if (this.status.compareAndSet(current, expired)) {
				return expired;
			}
		}
	}

	@Override
	public String toString() {
		return "Leadership[election=%s, term=%d, candidate=%s]".formatted(this.election, this.number, this.candidateId);
	}

	/**
	 * How the term fares.
	 *
	 * @param deadline when it ends unless it is renewed; of no meaning when it has ended
	 * @param endedBy why it has ended, {@code null} while it goes on
	 */
	private record Status(Moment deadline, @Nullable LossReason endedBy) {

		private static final Map<LossReason, Status> ENDED = ended();

		static Status endedBy(LossReason reason) {
			return Objects.requireNonNull(ENDED.get(reason));
		}

		private static Map<LossReason, Status> ended() {
			Map<LossReason, Status> ended = new EnumMap<>(LossReason.class);
			for (LossReason reason : LossReason.values()) {
				ended.put(reason, new Status(new Moment(0, 0), reason));
			}
			return ended;
		}

	}

}
