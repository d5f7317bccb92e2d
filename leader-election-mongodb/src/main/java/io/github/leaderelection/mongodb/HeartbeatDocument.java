package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.Heartbeat;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * The fields of a stored heartbeat. Read strictly, but for the date, which only informs.
 * Fields that are not known are ignored.
 */
final class HeartbeatDocument {

	static final String ID = "_id";

	static final String EPOCH = "epoch";

	static final String BEAT = "beat";

	static final String TTL_MILLIS = "ttlMillis";

	static final String BEAT_AT = "beatAt";

	static final String ENDED_AT = "endedAt";

	/** Just what this class reads. */
	static final List<String> FIELDS = List.of(ID, EPOCH, BEAT, TTL_MILLIS, BEAT_AT);

	static final Bson PROJECTION = Projections.include(FIELDS);

	/** Several times what one needs: there are many, and they are read often. */
	static final SizeLimit LIMIT = new SizeLimit(2 * 1024);

	private static final long LONGEST_TTL_MILLIS = Duration.ofDays(1).toMillis();

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

	static Heartbeat toHeartbeat(StoredDocument stored) throws DamagedDocumentException {
		RawBsonDocument document = stored.within(LIMIT);
		StoredFields.requireOnce(document, FIELDS);
		String id = StoredFields.text(document, ID);
		long epoch = StoredFields.number(document, EPOCH, 0, Heartbeat.MAX_EPOCH);
		long beat = StoredFields.number(document, BEAT, 0, Heartbeat.MAX_EPOCH);
		long ttlMillis = StoredFields.number(document, TTL_MILLIS, 1, LONGEST_TTL_MILLIS);
		// Whoever watches waits for as long as is stored here, and whoever beats believes
		// for as long as it has named its heartbeat after.
		if (!id.endsWith("/" + ttlMillis)) {
			throw new DamagedDocumentException(
					"'%s' must be that of '%s' but is %d".formatted(TTL_MILLIS, ID, ttlMillis));
		}
		return new Heartbeat(id, epoch, beat, Duration.ofMillis(ttlMillis), StoredFields.instant(document, BEAT_AT));
	}

}
