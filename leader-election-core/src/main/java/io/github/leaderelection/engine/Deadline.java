package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

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
		return update((held) -> new Status(deadline, null)).endedBy == null;
	}

	/**
	 * End it, unless it has ended already.
	 * @param reason why
	 */
	void end(LossReason reason) {
		update((held) -> new Status(held.deadline, reason));
	}

	private Status current() {
		return update((held) -> held);
	}

	/**
	 * Change how it fares, unless it has ended. That it has is kept once it was found:
	 * the wall clock may be set back, the answer must not be.
	 */
	private Status update(UnaryOperator<Status> change) {
		return this.status.updateAndGet((status) -> {
			if (status.endedBy != null) {
				return status;
			}
			boolean passed = status.deadline.hasComeAt(this.clock.nanos(), this.clock.millis());
			return passed ? new Status(status.deadline, LossReason.EXPIRED) : change.apply(status);
		});
	}

	/**
	 * How it fares.
	 *
	 * @param deadline when it ends, or would have ended, unless it is extended
	 * @param endedBy why it has ended, {@code null} while it goes on
	 */
	private record Status(Moment deadline, @Nullable LossReason endedBy) {

	}

}
