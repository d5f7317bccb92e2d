package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the documents of elections in one round trip, none that is too large. A server
 * that is merely compatible may refuse to look at sizes; then it is asked for plain
 * documents for a while.
 */
final class LeaseQuery {

	private static final Logger logger = LoggerFactory.getLogger(LeaseQuery.class);

	private static final Bson LIMITED = Projections.computed(SizeLimit.STORED, LeaseDocument.LIMIT.documentOrSize());

	private static final Bson PLAIN_FIELDS = Projections.fields(LeaseDocument.PROJECTION,
			Projections.include(LockDocument.DRAFT));

	private static final Bson IN_ORDER = Sorts.ascending(LeaseDocument.ID);

	/** A server that has refused may have been replaced by then. */
	private static final Duration PLAIN = Duration.ofMinutes(5);

	/** Until when not to ask the server for more than documents. */
	private volatile long plainUntil = System.nanoTime();

	/**
	 * Find documents, at most one for each election.
	 * @throws LeaseStoreException if they could not be read
	 */
	List<StoredDocument> find(MongoCall call, Set<String> elections) {
		return find(call, elections, List.of());
	}

	/**
	 * Find documents, at most one for each election, and then others. They are read in
	 * the order of their ids, and what is read later is not older: as all sub-documents
	 * come after all strings, the others are as they are, or were, when the last of the
	 * elections had been read.
	 * @param others the ids of the others, which have no name
	 * @throws LeaseStoreException if they could not be read
	 */
	List<StoredDocument> find(MongoCall call, Set<String> elections, List<BsonDocument> others) {
		if (System.nanoTime() - this.plainUntil < 0) {
			return plain(call, elections, others);
		}
		try {
			return answers(call, elections, others, LIMITED).stream().map(StoredDocument::limited).toList();
		}
		catch (CommandRefusedException ex) {
			List<StoredDocument> documents = plain(call, elections, others);
			this.plainUntil = System.nanoTime() + PLAIN.toNanos();
			logger.debug("The server does not tell how large documents are", ex);
			return documents;
		}
	}

	private static List<StoredDocument> plain(MongoCall call, Set<String> elections, List<BsonDocument> others) {
		return answers(call, elections, others, PLAIN_FIELDS).stream()
			.map((document) -> StoredDocument.whole(document, LeaseDocument.LIMIT))
			.toList();
	}

	private static List<RawBsonDocument> answers(MongoCall call, Set<String> elections, List<BsonDocument> others,
			Bson projection) {
		List<Object> ids = new ArrayList<>(elections);
		ids.addAll(others);
		return call.run("read %d leases".formatted(elections.size()), "find",
				(collection) -> collection.find(Filters.in(LeaseDocument.ID, ids), RawBsonDocument.class)
					.projection(projection)
					.sort(IN_ORDER)
					// One more than there can be: the server need not be asked whether
					// that was all.
					.batchSize(ids.size() + 1)
					.into(new ArrayList<>()));
	}

}
