package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * Reads the documents of jobs, none that is too large. A server that is merely compatible
 * may refuse to look at sizes; then it is asked for plain documents for a while.
 */
final class RunQuery {

	private static final Answer LIMITED = new Answer(
			Projections.computed(SizeLimit.STORED, RunDocument.LIMIT.documentOrSize()), StoredDocument::limited);

	private static final Answer WHOLE = new Answer(RunDocument.PROJECTION,
			(document) -> StoredDocument.whole(document, RunDocument.LIMIT));

	private final Fallback fallback = new Fallback("The server does not tell how large documents are");

	/**
	 * Find documents, in one round trip.
	 * @throws LeaseStoreException if they could not be read
	 */
	List<StoredDocument> find(MongoCall call, Set<String> ids) {
		return ask((answer) -> call.run("read the runs of %d jobs".formatted(ids.size()), "find",
				(collection) -> collection.find(Filters.in(RunDocument.ID, ids), RawBsonDocument.class)
					.projection(answer.projection())
					// One more than there can be: the server need not be asked whether
					// that was all.
					.batchSize(ids.size() + 1)
					.map(answer.reader()::apply)
					.into(new ArrayList<>())));
	}

	/**
	 * Change a document, and return it as it is then. Must change nothing the second
	 * time: it is asked for again if the answer can't be had in this way.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Optional<StoredDocument> findAndUpdate(MongoCall call, String what, Bson filter, Bson update) {
		return ask((answer) -> call.run(what, "find and update",
				(collection) -> Optional.ofNullable(collection.withDocumentClass(RawBsonDocument.class)
					.findOneAndUpdate(filter, update, new FindOneAndUpdateOptions().projection(answer.projection())
						.returnDocument(ReturnDocument.AFTER))))
			.map(answer.reader()));
	}

	private <T> T ask(Function<Answer, T> question) {
		return this.fallback.ask(() -> question.apply(LIMITED), () -> question.apply(WHOLE));
	}

	/**
	 * How documents are asked for, and what is made of them.
	 */
	private record Answer(Bson projection, Function<RawBsonDocument, StoredDocument> reader) {

	}

}
