package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The time until which something is held: a session with all terms under it, or a single
 * term. Whether it is held follows from the deadline and the clocks alone. All threads
 * see one order of events: once any of them has found the deadline passed, a late
 * acknowledgment can't revive it.
 */
final class Deadline {

	private final EngineClock clock;

	private final AtomicReference<Status> status;

	/**
	 * Create a deadline that has not been ended.
	 * @param deadline until when it is held
	 */
	Deadline(Moment deadline, EngineClock clock) {
		this.clock = clock;
		this.status = new AtomicReference<>(new Status(deadline, null));
	}

	/** Return whether it is held now. */
	boolean isHeld() {
		return endedBy() == null;
	}

	/** Return whether it is held when the clocks show these times. */
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

	/**
	 * Return until when it is held unless it is extended, or, if it has ended, would have
	 * been held.
	 */
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
	 * Move the deadline after an acknowledgment.
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
	 * Apply a change, unless it has ended. An end that was found is kept: the wall clock
	 * may be set back, but the answer must not change back.
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
	 * The deadline, and whether it has ended.
	 *
	 * @param deadline when it ends unless it is extended, or would have ended
	 * @param endedBy why it has ended, {@code null} while it goes on
	 */
	private record Status(Moment deadline, @Nullable LossReason endedBy) {

	}

}
