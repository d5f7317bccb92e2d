package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.MongoClientSettings;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * A {@link CandidateRegistry} in MongoDB. Each process that takes part has one document
 * in the collection {@value #COLLECTION}:
 *
 * <pre class="code">
 * {
 *   _id: "shop@web-1:4711-k3v9",      // the candidate
 *   application: "shop",
 *   host: "web-1",
 *   pid: NumberLong(4711),
 *   version: "1.4.2",                 // or null
 *   address: "http://web-1:8080",     // or null
 *   elections: ["invoices", "nightly-report"],
 *   paused: ["nightly-report"],       // those in which it stands aside until resumed
 *   startedAt: ISODate("..."),        // when it was first announced, by the server's clock
 *   seenAt: ISODate("...")            // when it was last announced, by the same
 * }
 * </pre>
 *
 * A process that ends removes its document. Those of crashed ones are removed by a TTL
 * index on {@code seenAt}, which is created at the first announcement. Where the database
 * user may not create it a warning says once what to do, and it is tried again now and
 * then; nothing else depends on it.
 * <p>
 * Of what is stored the {@value CandidateQuery#MOST} documents that were announced last
 * are read, and none that is too large to be one of these.
 */
public final class MongoCandidateRegistry implements CandidateRegistry {

	/**
	 * The name of the collection that holds the candidates.
	 */
	public static final String COLLECTION = "leader_election_candidates";

	/** About an hour of announcements. */
	static final int PATIENCE_FOR_INDEX = 120;

	private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

	private final MongoCollection<BsonDocument> collection;

	private final CandidateQuery query = new CandidateQuery();

	private final @Nullable ExpiryIndex expiryIndex;

	/**
	 * Create a registry. Does no I/O.
	 * @param database where candidates are kept
	 * @param retention how long an entry is kept after it was last announced, at least a
	 * second; ten times the longest TTL and no less than an hour is a good choice;
	 * {@code null} to leave the index to others
	 */
	public MongoCandidateRegistry(MongoDatabase database, @Nullable Duration retention) {
		// It decides nothing, and need not wait for a majority.
		this.collection = database.getCollection(COLLECTION, BsonDocument.class)
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.LOCAL)
			.withWriteConcern(WriteConcern.W1);
		this.expiryIndex = (retention != null)
				? new ExpiryIndex(database, CandidateDocument.SEEN_AT, retention, PATIENCE_FOR_INDEX) : null;
	}

	/** Return how the index is, in words; {@code null} if nothing is known yet. */
	@Nullable String indexState() {
		return (this.expiryIndex != null) ? this.expiryIndex.state() : "left to others";
	}

	@Override
	public void announce(CandidateRecord candidate, Duration timeout) {
		MongoCall call = new MongoCall(this.collection, timeout);
		Bson byId = Filters.eq(CandidateDocument.ID, candidate.id());
		Bson justEntered = Filters.and(byId, Filters.exists(CandidateDocument.STARTED_AT, false));
		// One command of two statements, because the server's date can't be had for an
		// insert alone by plain operators.
		call.run("announce candidate '%s'".formatted(candidate.id()), "insert and update",
				(collection) -> collection
					.bulkWrite(
							List.of(new UpdateOneModel<>(byId, CandidateDocument.entry(candidate), UPSERT),
									new UpdateOneModel<>(justEntered,
											Updates.currentDate(CandidateDocument.STARTED_AT))),
							new BulkWriteOptions().ordered(true)));
		if (this.expiryIndex != null) {
			this.expiryIndex.ensure(call);
		}
	}

	@Override
	public void remove(String candidateId, Duration timeout) {
		new MongoCall(this.collection, timeout).run("remove candidate '%s'".formatted(candidateId), "remove",
				(collection) -> collection.deleteOne(Filters.eq(CandidateDocument.ID, candidateId)));
	}

	@Override
	public List<CandidateRecord> findAll(Duration timeout) {
		return this.query.find(new MongoCall(this.collection, timeout));
	}

	@Override
	public List<String> damaged() {
		return this.query.damaged();
	}

}
