package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.RecordKind.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link Lease} is stored and read: strictly where it decides, leniently where it
 * only informs.
 * <table>
 * <caption>The fields</caption>
 * <tr>
 * <td>{@code holder}</td>
 * <td>the id of the session that holds it, null if it is vacant</td>
 * </tr>
 * <tr>
 * <td>{@code term}</td>
 * <td>raised by each taking: the fencing token</td>
 * </tr>
 * <tr>
 * <td>{@code ttlMillis}</td>
 * <td>the time to live that the holder asked for</td>
 * </tr>
 * <tr>
 * <td>{@code electedAt}</td>
 * <td>when it was last taken, by the clock of its taker; null if it never was</td>
 * </tr>
 * <tr>
 * <td>{@code successor}</td>
 * <td>while it is vacant: the candidate it is kept for</td>
 * </tr>
 * <tr>
 * <td>{@code requestTerm}, {@code requestBy}, {@code requestSuccessor}</td>
 * <td>a request to hand over this term: made through this candidate, for this
 * successor</td>
 * </tr>
 * <tr>
 * <td>{@code paused}</td>
 * <td>true while nobody may lead</td>
 * </tr>
 * </table>
 */
final class LeaseRecords {

	static final String HOLDER = "holder";

	static final String TERM = "term";

	private static final String TTL_MILLIS = "ttlMillis";

	private static final String ELECTED_AT = "electedAt";

	private static final String SUCCESSOR = "successor";

	private static final String REQUEST_TERM = "requestTerm";

	private static final String REQUEST_BY = "requestBy";

	private static final String REQUEST_SUCCESSOR = "requestSuccessor";

	private static final String PAUSED = "paused";

	private static final Map<String, FieldType> FIELDS = Map.of(HOLDER, FieldType.TEXT, TERM, FieldType.NUMBER,
			TTL_MILLIS, FieldType.NUMBER, ELECTED_AT, FieldType.DATE, SUCCESSOR, FieldType.TEXT, REQUEST_TERM,
			FieldType.NUMBER, REQUEST_BY, FieldType.TEXT, REQUEST_SUCCESSOR, FieldType.TEXT, PAUSED, FieldType.FLAG);

	/** The fields that a request changes. */
	static final Set<String> ASKED = Set.of(REQUEST_TERM, REQUEST_BY, REQUEST_SUCCESSOR);

	/** The fields that a release changes. */
	static final Set<String> RELEASED = Set.of(HOLDER, SUCCESSOR, REQUEST_TERM, REQUEST_BY, REQUEST_SUCCESSOR);

	static final RecordKind LEASES = new RecordKind("leases", FIELDS, HOLDER);

	static final RecordKind LOCKS = new RecordKind("locks", FIELDS, HOLDER);

	/** Longer than anyone would configure, and far from overflowing in nanoseconds. */
	static final Duration LONGEST_TTL = Duration.ofDays(366);

	/** Several times the length of any id. */
	static final int MOST_BYTES_OF_ID = 1024;

	private LeaseRecords() {
	}

	static Lease lease(String election, StoredRecord stored) throws DamagedRecordException {
		Session holder = stored.isAbsent(HOLDER) ? null : holder(stored);
		return new Lease(election, (holder != null) ? holder.candidate() : null, (holder != null) ? holder.number() : 0,
				stored.number(TERM, 0, Lease.MAX_TERM), stored.revision(), ttl(stored), stored.dateIfAny(ELECTED_AT),
				stored.textIfAny(SUCCESSOR), request(stored), stored.isTrue(PAUSED));
	}

	private static Session holder(StoredRecord stored) throws DamagedRecordException {
		Session holder = Session.of(stored.text(HOLDER, MOST_BYTES_OF_ID), 0, Duration.ZERO, null, false);
		if (holder == null) {
			throw stored.damage(HOLDER, "be null, or a candidate, '#' and a number");
		}
		return holder;
	}

	static Duration ttl(StoredRecord stored) throws DamagedRecordException {
		return Duration.ofMillis(stored.number(TTL_MILLIS, 1, LONGEST_TTL.toMillis()));
	}

	/** Return the request. One that can't be understood is ignored. */
	private static @Nullable HandoverRequest request(StoredRecord stored) {
		String by = stored.textIfAny(REQUEST_BY);
		return (by != null && stored.fields().get(REQUEST_TERM) instanceof Long term)
				? new HandoverRequest(term, stored.textIfAny(REQUEST_SUCCESSOR), by) : null;
	}

	/** Return the record of a lease, without its pause, which stays as it is stored. */
	static StoredRecord record(String id, Lease lease) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		HandoverRequest request = lease.request();
		fields.put(HOLDER, lease.sessionId());
		fields.put(TERM, lease.term());
		fields.put(TTL_MILLIS, lease.ttl().toMillis());
		fields.put(ELECTED_AT, lease.electedAt());
		fields.put(SUCCESSOR, lease.successor());
		fields.put(REQUEST_TERM, (request != null) ? (Object) request.term() : null);
		fields.put(REQUEST_BY, (request != null) ? request.by() : null);
		fields.put(REQUEST_SUCCESSOR, (request != null) ? request.successor() : null);
		return new StoredRecord(id, lease.revision(), fields);
	}

	/**
	 * Return only some fields of the lease. Edits of the others stay, above all one that
	 * has raised the term.
	 */
	static StoredRecord record(String id, Lease lease, Set<String> changed) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>(record(id, lease).fields());
		fields.keySet().retainAll(changed);
		return new StoredRecord(id, lease.revision(), fields);
	}

	static StoredRecord paused(StoredRecord stored, boolean paused) {
		return stored.next(Collections.singletonMap(PAUSED, paused ? true : null));
	}

	static boolean isPaused(StoredRecord stored) {
		return stored.isTrue(PAUSED);
	}

}
