package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.leaderelection.store.RecordKind.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link Session} is stored and read.
 * <table>
 * <caption>The fields</caption>
 * <tr>
 * <td>{@code state}</td>
 * <td>{@code alive} or {@code ended}, which is final</td>
 * </tr>
 * <tr>
 * <td>{@code ttlMillis}</td>
 * <td>for how long a renewal counts</td>
 * </tr>
 * </table>
 */
final class SessionRecords {

	private static final String STATE = "state";

	static final String ALIVE = "alive";

	static final String ENDED = "ended";

	private static final String TTL_MILLIS = "ttlMillis";

	static final RecordKind KIND = new RecordKind("sessions",
			Map.of(STATE, FieldType.TEXT, TTL_MILLIS, FieldType.NUMBER), STATE);

	private SessionRecords() {
	}

	static Session session(StoredRecord stored, @Nullable Instant changedAt) throws DamagedRecordException {
		String state = stored.text(STATE, LeaseRecords.MOST_BYTES_OF_ID);
		if (!state.equals(ALIVE) && !state.equals(ENDED)) {
			throw stored.damage(STATE, "be '%s' or '%s'".formatted(ALIVE, ENDED));
		}
		Duration ttl = LeaseRecords.ttl(stored);
		Session session = Session.of(stored.id(), stored.revision(), ttl, changedAt, state.equals(ENDED));
		if (session == null) {
			throw new DamagedRecordException("the id must be a candidate, '#' and a number but is something else");
		}
		return session;
	}

	/**
	 * Return the record of a session, with all fields, which repairs edited ones: others
	 * take no notice of a renewal that they can't understand.
	 */
	static StoredRecord record(Session session) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put(STATE, session.ended() ? ENDED : ALIVE);
		fields.put(TTL_MILLIS, session.ttl().toMillis());
		return new StoredRecord(session.id(), session.revision(), fields);
	}

}
