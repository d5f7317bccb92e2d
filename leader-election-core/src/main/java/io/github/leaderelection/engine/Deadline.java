package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Until when something is held: a session with all terms under it, or a single term.
 * Whether it is held follows from the deadline and the clocks alone. All threads see one
 * order of events: once any of them has found the deadline passed, nothing that is
 * acknowledged late can revive it.
 */
final class Deadline {

	private final EngineClock clock;

	private final AtomicReference<Status> status;

	/**
	 * Begin to hold it.
	 * @param deadline until when
	 */
	Deadline(Moment deadline, EngineClock clock) {
		this.clock = clock;
		this.status = new AtomicReference<>(new Status(deadline, null));
	}

	/** Return whether it is held now. */
	boolean isHeld() {
		return endedBy() == null;
	}

	/** Return whether it is held when the clocks show this. */
	boolean isHeldAt(long nanos, long millis) {
		Status current = this.status.get();
		if (current.endedBy == null && !current.deadline.hasComeAt(nanos, millis)) {
			return true;
		}
		return isHeld();
	}

	/** Return why it has ended, {@code null} while it is held. */
	@Nullable LossReason endedBy() {
		return current().endedBy;
	}

	/** Return until when it is held unless it is extended, or was held. */
	Moment at() {
		return this.status.get().deadline;
	}

	Duration remaining() {
		Status current = current();
		if (current.endedBy != null) {
			return Duration.ZERO;
		}
		return current.deadline.remainingAt(this.clock.now());
	}

	/**
	 * Move the deadline after something was acknowledged.
	 * @param deadline the new deadline
	 * @return whether it was still held
	 */
	boolean extend(Moment deadline) {
		while (true) {
			Status current = current();
			if (current.endedBy != null) {
				return false;
			}
			if (this.status.compareAndSet(current, new Status(deadline, null))) {
				return true;
			}
		}
	}

	/**
	 * End it, unless it has ended already. Allocates nothing: a term can be ended when
	 * there is no memory left.
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

	/**
	 * How it fares.
	 *
	 * @param deadline when it ends unless it is extended; of no meaning when it has ended
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
