package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Reads sessions, none that is too large, with the time of the server. A server that is
 * merely compatible may refuse to work that out; then it is asked for plain documents for
 * a while.
 */
final class SessionQuery {

	/** How many sessions are read, beside those that are asked for by their ids. */
	static final int MOST = 1000;

	private static final String READ_AT = "readAt";

	private static final Answer LIMITED = new Answer(Projections.fields(Projections.excludeId(),
			Projections.computed(SizeLimit.STORED, SessionDocument.LIMIT.documentOrSize()),
			Projections.computed(READ_AT, new BsonString("$$NOW"))), StoredDocument::limited);

	private static final Answer WHOLE = new Answer(SessionDocument.PROJECTION,
			(document) -> StoredDocument.whole(document, SessionDocument.LIMIT));

	private final Fallback fallback = new Fallback(
			"The server does not tell its time; sessions are read once per poll interval");

	private final LeftOut leftOut = new LeftOut();

	/** Return what was left out when they were read last. */
	List<String> damaged() {
		return this.leftOut.present();
	}

	/**
	 * Find sessions: those with these ids, and others.
	 * @throws LeaseStoreException if they could not be read
	 */
	SessionReading find(MongoCall call, Collection<String> ids) {
		return ask((answer) -> {
			Found found = new Found();
			// In no order, which needs no index: there are seldom more than these.
			boolean all = call.run("read the sessions", "find",
					(collection) -> found.addAll(collection.find(RawBsonDocument.class).limit(MOST), answer, MOST));
			Set<String> rest = ids.stream().filter((id) -> !found.sessions.containsKey(id)).collect(Collectors.toSet());
			if (!all && !rest.isEmpty()) {
				call.run("read %d sessions".formatted(rest.size()), "find",
						(collection) -> found.addAll(
								collection.find(Filters.in(SessionDocument.ID, rest), RawBsonDocument.class), answer,
								rest.size()));
			}
			this.leftOut.found(call.collection(), found.damaged);
			return new SessionReading(found.sessions, found.readAt);
		});
	}

	/**
	 * Change a document, and return it as it is then. If the server makes the change and
	 * refuses to show it in this way, it is not made again, and nothing is returned.
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

	/** What was found so far, and could be understood. */
	private static final class Found {

		private final Map<String, Session> sessions = new HashMap<>();

		private final List<String> damaged = new ArrayList<>();

		private @Nullable Instant readAt;

		/** Return whether there are no more than were asked for. */
		private boolean addAll(FindIterable<RawBsonDocument> documents, Answer answer, int most) {
			int count = 0;
			// One more than there can be: the server need not be asked whether that was
			// all.
			try (MongoCursor<RawBsonDocument> cursor = documents.projection(answer.projection())
				.batchSize(most + 1)
				.cursor()) {
				while (cursor.hasNext()) {
					RawBsonDocument document = cursor.next();
					// That of the server, or nothing.
					this.readAt = StoredFields.instant(document, READ_AT);
					add(answer.reader().apply(document));
					count++;
				}
			}
			return count < most;
		}

		private void add(StoredDocument stored) {
			try {
				Session session = SessionDocument.toSession(stored);
				this.sessions.put(session.id(), session);
			}
			catch (DamagedDocumentException ex) {
				this.damaged.add(LeftOut.describe(stored, ex));
			}
		}

	}

}
