package io.github.leaderelection.store;

import java.util.List;

/**
 * What a store answers to a beat.
 *
 * @param acknowledged whether the stored heartbeat shows this very beat now
 * @param requests what its process is asked for, in the order in which that was left.
 * Says nothing about the beat, and is empty if that was not acknowledged.
 */
public record BeatReply(boolean acknowledged, List<PauseRequest> requests) {

	/**
	 * The answer to a beat that was not acknowledged.
	 */
	public static final BeatReply REFUSED = new BeatReply(false, List.of());

	public BeatReply {
		requests = List.copyOf(requests);
	}

}
