package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the documents of elections in one round trip, none that is too large, with the
 * time of the server. A server that is merely compatible may refuse to work that out;
 * then it is asked for plain documents for a while.
 */
final class LeaseQuery {

	private static final Logger logger = LoggerFactory.getLogger(LeaseQuery.class);

	private static final String READ_AT = "readAt";

	private static final Bson LIMITED = Projections.fields(
			Projections.computed(SizeLimit.STORED, LeaseDocument.LIMIT.documentOrSize()),
			Projections.computed(READ_AT, new BsonString("$$NOW")));

	/** A server that has refused may have been replaced by then. */
	private static final Duration PLAIN = Duration.ofMinutes(5);

	/** Until when not to ask the server for more than documents. */
	private volatile long plainUntil = System.nanoTime();

	/**
	 * Find documents.
	 * @throws LeaseStoreException if they could not be read
	 */
	Answer find(MongoCall call, Set<String> elections) {
		if (System.nanoTime() - this.plainUntil < 0) {
			return plain(call, elections);
		}
		try {
			return limited(call, elections);
		}
		catch (CommandRefusedException ex) {
			Answer answer = plain(call, elections);
			this.plainUntil = System.nanoTime() + PLAIN.toNanos();
			logger.debug("The server does not tell its time; leases are read once per poll interval", ex);
			return answer;
		}
	}

	private static Answer limited(MongoCall call, Set<String> elections) {
		List<StoredDocument> documents = new ArrayList<>();
		Instant readAt = null;
		for (RawBsonDocument answer : answers(call, elections, LIMITED)) {
			documents.add(StoredDocument.limited(answer));
			readAt = StoredFields.instant(answer, READ_AT);
		}
		return new Answer(documents, readAt);
	}

	private static Answer plain(MongoCall call, Set<String> elections) {
		return new Answer(answers(call, elections, LeaseDocument.PROJECTION).stream()
			.map((document) -> StoredDocument.whole(document, LeaseDocument.LIMIT))
			.toList(), null);
	}

	private static List<RawBsonDocument> answers(MongoCall call, Set<String> elections, Bson projection) {
		return call.run("read %d leases".formatted(elections.size()), "find",
				(collection) -> collection.find(Filters.in(LeaseDocument.ID, elections), RawBsonDocument.class)
					.projection(projection)
					// One more than there can be: the server need not be asked whether
					// that was all.
					.batchSize(elections.size() + 1)
					.into(new ArrayList<>()));
	}

	/**
	 * What was found.
	 *
	 * @param documents the documents, at most one for each election
	 * @param readAt the time of the server, {@code null} if it is not known
	 */
	record Answer(List<StoredDocument> documents, @Nullable Instant readAt) {

	}

}
