package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a store showed when asked for heartbeats.
 *
 * @param heartbeats the heartbeats by id. One that was asked for by its id and is not
 * here is missing, or can't be understood, which is no better.
 * @param readAt when they were read, by the clock that dates {@link Heartbeat#beatAt()};
 * {@code null} if that is not known
 */
public record HeartbeatReading(Map<String, Heartbeat> heartbeats, @Nullable Instant readAt) {

	public HeartbeatReading {
		heartbeats = Map.copyOf(heartbeats);
	}

}
