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
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Reads heartbeats, none that is too large, with the time of the server. A server that is
 * merely compatible may refuse to work that out; then it is asked for plain documents for
 * a while.
 */
final class HeartbeatQuery {

	/** How many heartbeats are read, beside those that are asked for by their ids. */
	static final int MOST = 1000;

	private static final String READ_AT = "readAt";

	private static final Answer LIMITED = new Answer(Projections.fields(Projections.excludeId(),
			Projections.computed(SizeLimit.STORED, HeartbeatDocument.LIMIT.documentOrSize()),
			Projections.computed(READ_AT, new BsonString("$$NOW"))), StoredDocument::limited);

	private static final Answer WHOLE = new Answer(HeartbeatDocument.PROJECTION,
			(document) -> StoredDocument.whole(document, HeartbeatDocument.LIMIT));

	private final Fallback fallback = new Fallback(
			"The server does not tell its time; heartbeats are read once per poll interval");

	private final LeftOut leftOut = new LeftOut();

	/** Return what was left out when they were read last. */
	List<String> damaged() {
		return this.leftOut.present();
	}

	/**
	 * Find heartbeats: those with these ids, and others.
	 * @throws LeaseStoreException if they could not be read
	 */
	HeartbeatReading find(MongoCall call, Collection<String> ids) {
		return ask((answer) -> {
			Found found = new Found();
			// In no order, which needs no index: there are seldom more than these.
			boolean all = call.run("read the heartbeats", "find",
					(collection) -> found.addAll(collection.find(RawBsonDocument.class).limit(MOST), answer, MOST));
			Set<String> rest = ids.stream()
				.filter((id) -> !found.heartbeats.containsKey(id))
				.collect(Collectors.toSet());
			if (!all && !rest.isEmpty()) {
				call.run("read %d heartbeats".formatted(rest.size()), "find",
						(collection) -> found.addAll(
								collection.find(Filters.in(HeartbeatDocument.ID, rest), RawBsonDocument.class), answer,
								rest.size()));
			}
			this.leftOut.found(call.collection(), found.damaged);
			return new HeartbeatReading(found.heartbeats, found.readAt);
		});
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

	/**
	 * Find one document.
	 * @throws LeaseStoreException if it could not be read
	 */
	Optional<StoredDocument> findOne(MongoCall call, String what, String id) {
		return ask((answer) -> call.run(what, "find",
				(collection) -> Optional.ofNullable(collection.withDocumentClass(RawBsonDocument.class)
					.find(Filters.eq(HeartbeatDocument.ID, id))
					.projection(answer.projection())
					.first()))
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

		private final Map<String, Heartbeat> heartbeats = new HashMap<>();

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
				Heartbeat heartbeat = HeartbeatDocument.toHeartbeat(stored);
				this.heartbeats.put(heartbeat.id(), heartbeat);
			}
			catch (DamagedDocumentException ex) {
				this.damaged.add(LeftOut.describe(stored, ex));
			}
		}

	}

}
