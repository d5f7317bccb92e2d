package io.github.leaderelection.mongodb;

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

/**
 * Reads the documents of elections in one round trip, none that is too large. A server
 * that is merely compatible may refuse to look at sizes; then it is asked for plain
 * documents for a while.
 */
final class LeaseQuery {

	private static final Bson LIMITED = Projections.computed(SizeLimit.STORED, LeaseDocument.LIMIT.documentOrSize());

	private static final Bson PLAIN_FIELDS = Projections.fields(LeaseDocument.PROJECTION,
			Projections.include(LockDocument.DRAFT));

	private static final Bson IN_ORDER = Sorts.ascending(LeaseDocument.ID);

	private final Fallback fallback = new Fallback("The server does not tell how large documents are");

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
		return this.fallback.ask(
				() -> answers(call, elections, others, LIMITED).stream().map(StoredDocument::limited).toList(),
				() -> plain(call, elections, others));
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
