package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.PauseRequest;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a stored heartbeat. Read strictly, but for the dates, which only inform,
 * and requests, which must not cost anybody a heartbeat. Fields that are not known are
 * ignored.
 */
final class HeartbeatDocument {

	static final String ID = "_id";

	static final String EPOCH = "epoch";

	static final String BEAT = "beat";

	static final String TTL_MILLIS = "ttlMillis";

	static final String BEAT_AT = "beatAt";

	static final String ENDED_AT = "endedAt";

	static final String REQUESTS = "requests";

	private static final String REQUEST_ID = "id";

	private static final String ELECTION = "election";

	private static final String PAUSED = "paused";

	private static final String BY = "by";

	/** What decides whether somebody lives. */
	private static final List<String> FIELDS = List.of(ID, EPOCH, BEAT, TTL_MILLIS, BEAT_AT);

	/** Just what this class reads. */
	static final Bson PROJECTION = Projections
		.include(Stream.concat(FIELDS.stream(), Stream.of(REQUESTS, ENDED_AT)).toList());

	/** Several times what one needs: there are many, and they are read often. */
	static final SizeLimit LIMIT = new SizeLimit(2 * 1024);

	/**
	 * How large a heartbeat may be by what is asked for there: one that is beyond the
	 * limit counts as missing, so nobody must be able to make one grow so far by asking
	 * too often. There is room for a dozen requests with common names, and for one about
	 * an election whose name is as long as can be, by a candidate whose id is, with three
	 * bytes for each character. The dates that a beat and an end add have room beyond.
	 */
	static final int MOST_ASKED = LIMIT.bytes() / 8 * 7;

	private HeartbeatDocument() {
	}

	/**
	 * The document of a heartbeat that is entered.
	 */
	static BsonDocument entry(Heartbeat first) {
		return new BsonDocument(ID, new BsonString(first.id())).append(EPOCH, new BsonInt64(first.epoch()))
			.append(BEAT, new BsonInt64(first.beat()))
			.append(TTL_MILLIS, new BsonInt64(first.ttl().toMillis()));
	}

	/** Match a heartbeat only as long as nobody has ended its epoch. */
	static Bson ofEpoch(Heartbeat heartbeat) {
		return Filters.and(Filters.eq(ID, heartbeat.id()), Filters.eq(EPOCH, heartbeat.epoch()));
	}

	/** Match a heartbeat only as long as it is as it was seen. */
	static Bson asSeen(Heartbeat seen) {
		return Filters.and(ofEpoch(seen), Filters.eq(BEAT, seen.beat()));
	}

	/** Beat, unless a later beat was first. */
	static Bson beat(Heartbeat next) {
		return Updates.combine(Updates.max(BEAT, next.beat()), Updates.currentDate(BEAT_AT), Updates.unset(ENDED_AT));
	}

	static Bson end(long epoch) {
		return Updates.combine(Updates.set(EPOCH, epoch), Updates.currentDate(ENDED_AT));
	}

	/** Return what is asked for, as it is stored. */
	static BsonDocument asked(StoredDocument stored) throws DamagedDocumentException {
		return stored.read(LIMIT, List.of(REQUESTS), (document) -> document);
	}

	/**
	 * Match a heartbeat as long as nobody else has asked for anything there.
	 * @param stored what is asked for, as it is stored
	 */
	static Bson asAsked(String id, BsonDocument stored) {
		return Filters.and(Filters.eq(ID, id), Filters.eq(REQUESTS, stored.get(REQUESTS, BsonNull.VALUE)));
	}

	/**
	 * Ask for one thing more, and forget the first requests as far as there is no room.
	 * @param stored what is asked for, as it is stored
	 * @param bytes the size of the heartbeat
	 * @return the change, {@code null} if there is no room at all
	 */
	static @Nullable Bson asking(BsonDocument stored, long bytes, PauseRequest request) {
		List<BsonValue> requests = new ArrayList<>(stored.isArray(REQUESTS) ? stored.getArray(REQUESTS) : List.of());
		requests.add(document(request));
		long others = stored.containsKey(REQUESTS) ? bytes - size(stored.get(REQUESTS)) : bytes;
		while (others + size(new BsonArray(requests)) > MOST_ASKED) {
			requests.remove(0);
			if (requests.isEmpty()) {
				return null;
			}
		}
		return Updates.set(REQUESTS, new BsonArray(requests));
	}

	private static int size(BsonValue requests) {
		return new RawBsonDocument(new BsonDocument(REQUESTS, requests), new BsonDocumentCodec()).getByteBuffer()
			.remaining();
	}

	private static BsonDocument document(PauseRequest request) {
		return new BsonDocument(REQUEST_ID, new BsonString(request.id()))
			.append(ELECTION, new BsonString(request.election()))
			.append(PAUSED, BsonBoolean.valueOf(request.paused()))
			.append(BY, new BsonString(request.by()));
	}

	/**
	 * Return what is asked for, and can be understood.
	 * @throws DamagedDocumentException if nothing can be
	 */
	static List<PauseRequest> requests(StoredDocument stored) throws DamagedDocumentException {
		BsonDocument document = asked(stored);
		List<PauseRequest> requests = new ArrayList<>();
		if (document.isArray(REQUESTS)) {
			for (BsonValue each : document.getArray(REQUESTS)) {
				if (each.isDocument()) {
					BsonDocument asked = each.asDocument();
					if (asked.isString(REQUEST_ID) && asked.isString(ELECTION) && asked.isBoolean(PAUSED)
							&& asked.isString(BY)) {
						requests.add(new PauseRequest(asked.getString(REQUEST_ID).getValue(),
								asked.getString(ELECTION).getValue(), asked.getBoolean(PAUSED).getValue(),
								asked.getString(BY).getValue()));
					}
				}
			}
		}
		return requests;
	}

	static Heartbeat toHeartbeat(StoredDocument stored) throws DamagedDocumentException {
		return stored.read(LIMIT, FIELDS, (document) -> heartbeat(document, stored.has(ENDED_AT)));
	}

	private static Heartbeat heartbeat(BsonDocument document, boolean ended) throws DamagedDocumentException {
		String id = StoredFields.text(document, ID);
		long epoch = StoredFields.number(document, EPOCH, 0, Heartbeat.MAX_EPOCH);
		long beat = StoredFields.number(document, BEAT, 0, Heartbeat.MAX_EPOCH);
		long ttlMillis = StoredFields.number(document, TTL_MILLIS, 1, LeaseDocument.LONGEST_TTL_MILLIS);
		// Whoever watches waits for as long as is stored here, and whoever beats believes
		// for as long as it has named its heartbeat after.
		if (!id.endsWith("/" + ttlMillis)) {
			throw new DamagedDocumentException(
					"'%s' must be that of '%s' but is %d".formatted(TTL_MILLIS, ID, ttlMillis));
		}
		return new Heartbeat(id, epoch, beat, Duration.ofMillis(ttlMillis), StoredFields.instant(document, BEAT_AT),
				ended);
	}

}
