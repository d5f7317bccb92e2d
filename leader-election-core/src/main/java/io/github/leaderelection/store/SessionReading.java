package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a store showed when asked for sessions.
 *
 * @param sessions the sessions by id. One that was asked for by its id and is not here is
 * missing, or can't be understood, which is no better.
 * @param readAt when they were read, by the clock that dates {@link Session#renewedAt()};
 * {@code null} if that is not known
 */
public record SessionReading(Map<String, Session> sessions, @Nullable Instant readAt) {

	public SessionReading {
		sessions = Map.copyOf(sessions);
	}

}
