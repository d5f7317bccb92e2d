package io.github.leaderelection.engine;

import io.github.leaderelection.store.Heartbeat;
import org.jspecify.annotations.Nullable;

/**
 * All that a process knows of its own heartbeat. Immutable; {@link HeartbeatProtocol}
 * makes the next from the last.
 *
 * @param phase what to do next
 * @param epoch the epoch that it beats under, or was about to
 * @param beat the number of the last beat that was sent
 * @param floor the lowest epoch to go on under: all terms of lower ones are over
 * @param seen what is stored in its place, of an epoch that is too low, or {@code null}
 * @param nextCall when to make the next call; monotonic time
 */
record HeartbeatState(Phase phase, long epoch, long beat, long floor, @Nullable Heartbeat seen, long nextCall) {

	HeartbeatState at(long newNextCall) {
		return new HeartbeatState(this.phase, this.epoch, this.beat, this.floor, this.seen, newNextCall);
	}

	HeartbeatState sent() {
		return new HeartbeatState(this.phase, this.epoch, this.beat + 1, this.floor, this.seen, this.nextCall);
	}

	/** Go on with numbers above the given one. */
	HeartbeatState beyond(long number) {
		return new HeartbeatState(this.phase, this.epoch, Math.max(this.beat, number), this.floor, this.seen,
				this.nextCall);
	}

	HeartbeatState beating(long newEpoch, long newNextCall) {
		return new HeartbeatState(Phase.BEATING, newEpoch, this.beat, newEpoch, null, newNextCall);
	}

	HeartbeatState to(Phase newPhase, long newFloor, @Nullable Heartbeat newSeen, long newNextCall) {
		return new HeartbeatState(newPhase, this.epoch, this.beat, newFloor, newSeen, newNextCall);
	}

	enum Phase {

		/** There is none: enter one. */
		ABSENT,

		/** There is one of this epoch: beat. */
		BEATING,

		/** Nobody knows what is there: look. */
		UNCLEAR,

		/** There is one of an epoch that is over: raise it. */
		OUTDATED

	}

}
