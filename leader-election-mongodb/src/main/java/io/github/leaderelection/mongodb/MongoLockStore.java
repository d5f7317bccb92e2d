package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.LockStore;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link LockStore} in MongoDB 4.4 or later, or a server compatible with it. Leases are
 * as in a {@link MongoLeaseStore}, in a collection of their own; sessions are in the
 * same, {@value MongoLeaseStore#SESSIONS}.
 * <p>
 * Beside the leases there is one document, the <em>floor</em>, which is only ever raised.
 * Its id is no string, so that no lease can have it:
 *
 * <pre class="code">
 * {
 *   _id: { floor: 1 },
 *   term: NumberLong(4711)   // no lease with a greater term was ever removed
 * }
 * </pre>
 *
 * And there are <em>drafts</em>, leases that can't be taken yet, as they have none of the
 * fields that a taking names:
 *
 * <pre class="code">
 * {
 *   _id: "invoice-815",
 *   draft: {
 *     id: ObjectId("..."),          // another for each draft
 *     term: NumberLong(0),          // the least that its creator asks for
 *     ttlMillis: NumberLong(20000)
 *   }
 * }
 * </pre>
 * <ol>
 * <li>Leases are removed by raising the floor to the greatest of their terms, and only
 * then by one command that deletes those which are still vacant, with the revision and
 * the term that were seen.
 * <li>Leases are created by an {@code insert} of drafts.
 * <li>A draft is confirmed by whoever reads it, its creator or another. One {@code find}
 * shows drafts and, after them, the floor. One {@code update} then makes each draft,
 * named by its id, a vacant lease, at revision 0 and with a term above the floor; its
 * date, {@code createdAt}, is that of the server.
 * </ol>
 * So a lease begins above every term that was ever granted under its name: what an
 * earlier lease of that name was granted became the floor's before that lease was
 * deleted, which was before the draft could be inserted, which was before the floor was
 * read. And since no two leases of a name ever show the same term while vacant, no
 * request that is meant for an earlier one matches a later one, however late it arrives.
 * This takes it that an {@code insert} is carried out once at most, as drivers and
 * servers see to, and that the collection is not sharded: one server answers the
 * {@code find}, in the order of ids.
 * <p>
 * A lease that somebody has edited to show a term in the upper half of what is possible
 * is never removed: the floor would take all others there.
 */
public final class MongoLockStore implements LockStore {

	/**
	 * The name of the collection that holds the leases, unless another is chosen.
	 */
	public static final String COLLECTION = "leader_election_locks";

	private static final Logger logger = LoggerFactory.getLogger(MongoLockStore.class);

	private static final FindOneAndUpdateOptions AS_RAISED = new FindOneAndUpdateOptions().upsert(true)
		.returnDocument(ReturnDocument.AFTER);

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	private final MongoLeaseStore leases;

	private final LeaseQuery query = new LeaseQuery();

	/**
	 * Create a store that uses the collection {@value #COLLECTION}, and leaves the index
	 * that removes old sessions to others. Does no I/O.
	 * @param database where leases and sessions are kept
	 */
	public MongoLockStore(MongoDatabase database) {
		this(database, COLLECTION, null);
	}

	/**
	 * Create a store. Does no I/O: the collections come into being with the first lease
	 * and session.
	 * @param database where leases and sessions are kept; all who use a lock must use the
	 * same
	 * @param collection the name of the collection that holds the leases, which nothing
	 * else must use
	 * @param retention how long the session of a process that is gone is kept after
	 * others have ended it, at least a second; {@code null} to leave the index to others
	 */
	public MongoLockStore(MongoDatabase database, String collection, @Nullable Duration retention) {
		this(database, collection, retention, MongoLeaseStore.WATCH_PATIENCE);
	}

	MongoLockStore(MongoDatabase database, String collection, @Nullable Duration retention, Duration watchPatience) {
		this.leases = new MongoLeaseStore(database, collection, retention, watchPatience);
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return read(elections, List.of(), timeout);
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		return this.leases.read(elections, known, timeout, this::read);
	}

	/** Drafts that are found are confirmed, and shown as what they are then. */
	private LeaseReading read(MongoCall call, Set<String> asked) {
		List<StoredDocument> found = find(call, asked);
		Map<String, BsonDocument> drafts = drafts(found, asked);
		LeaseReading reading = this.leases.reading(call, asked, withoutDrafts(found));
		return drafts.isEmpty() ? reading : with(reading, confirm(call, drafts, found));
	}

	private List<StoredDocument> find(MongoCall call, Set<String> elections) {
		return this.query.find(call, elections, List.of(LockDocument.FLOOR));
	}

	private static Map<String, BsonDocument> drafts(List<StoredDocument> documents, Set<String> asked) {
		Map<String, BsonDocument> drafts = new LinkedHashMap<>();
		for (StoredDocument each : documents) {
			// By a collation a document may answer to another name than its own.
			BsonDocument draft = LockDocument.draft(each);
			if (draft != null && each.id() != null && asked.contains(each.id())) {
				drafts.put(each.id(), draft);
			}
		}
		return drafts;
	}

	private static List<StoredDocument> withoutDrafts(List<StoredDocument> documents) {
		return documents.stream().filter((each) -> LockDocument.draft(each) == null).toList();
	}

	private static LeaseReading with(LeaseReading reading, LeaseReading more) {
		Map<String, Lease> leases = new HashMap<>(reading.leases());
		leases.putAll(more.leases());
		Map<String, String> damaged = new HashMap<>(reading.damaged());
		damaged.putAll(more.damaged());
		return new LeaseReading(leases, damaged);
	}

	/**
	 * Confirm drafts, and return what has become of them. Those which can't be confirmed
	 * now are no leases yet.
	 * @param found with the floor, read after the drafts
	 */
	private LeaseReading confirm(MongoCall call, Map<String, BsonDocument> drafts, List<StoredDocument> found) {
		Map<String, Lease> confirmed = new LinkedHashMap<>();
		Map<String, String> damaged = new HashMap<>();
		drafts.forEach((election, draft) -> {
			try {
				confirmed.put(election, LockDocument.confirmed(election, draft, floor(found)));
			}
			catch (DamagedDocumentException ex) {
				damaged.put(election, String.valueOf(ex.getMessage()));
			}
		});
		return with(new LeaseReading(Map.of(), damaged), confirm(call, drafts, confirmed));
	}

	private LeaseReading confirm(MongoCall call, Map<String, BsonDocument> drafts, Map<String, Lease> confirmed) {
		if (confirmed.isEmpty()) {
			return new LeaseReading(Map.of(), Map.of());
		}
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>();
		confirmed.forEach((election, lease) -> updates
			.add(new UpdateOneModel<>(LockDocument.isStillDraft(election, Objects.requireNonNull(drafts.get(election))),
					LockDocument.confirmation(lease))));
		try {
			BulkUpdate update = BulkUpdate.run(call, "confirm %d leases".formatted(updates.size()), updates);
			if (update.matched() == updates.size()) {
				return new LeaseReading(confirmed, Map.of());
			}
			// Others were faster with some, and which is not told.
			Set<String> elections = confirmed.keySet();
			return this.leases.reading(call, elections, withoutDrafts(this.query.find(call, elections)));
		}
		catch (LeaseStoreException ex) {
			logger.debug("Leases that were created could not be confirmed; whoever reads them next tries again", ex);
			return new LeaseReading(Map.of(), Map.of());
		}
	}

	/** Return the floor, {@code null} if nothing was ever removed. */
	private static @Nullable Long floor(List<StoredDocument> found) throws DamagedDocumentException {
		for (StoredDocument each : found) {
			// Nothing else that was asked for has an id that is no string.
			if (each.id() == null) {
				return LockDocument.floor(each, 0);
			}
		}
		return null;
	}

	@Override
	public Set<String> create(Collection<Lease> leases, Duration timeout) {
		return this.leases.create(leases, LockDocument::draft, timeout);
	}

	@Override
	public int removeUnused(Duration unusedFor, int most, Duration timeout) {
		MongoCall call = this.leases.call(timeout);
		List<StoredDocument> found = call.run("find unused leases", "find",
				(collection) -> collection.find(LockDocument.isUnused(unusedFor), RawBsonDocument.class)
					.projection(LockDocument.fields())
					.limit(most)
					.map((document) -> StoredDocument.whole(document, LeaseDocument.LIMIT))
					.into(new ArrayList<>()));
		List<Lease> unused = withoutDrafts(found).stream()
			.map(LockDocument::removable)
			.filter(Objects::nonNull)
			.toList();
		confirmLeftBehind(call, found);
		return unused.isEmpty() ? 0 : remove(call, unused);
	}

	/** What nobody asks for any more has nobody else who confirms it. */
	private void confirmLeftBehind(MongoCall call, List<StoredDocument> found) {
		Set<String> left = found.stream()
			.filter((each) -> LockDocument.draft(each) != null)
			.map(StoredDocument::id)
			.filter(Objects::nonNull)
			.collect(Collectors.toSet());
		if (!left.isEmpty()) {
			List<StoredDocument> drafts = find(call, left);
			confirm(call, drafts(drafts, left), drafts);
		}
	}

	private static int remove(MongoCall call, List<Lease> unused) {
		raiseFloor(call, unused.stream().mapToLong(Lease::term).max().orElseThrow());
		List<DeleteOneModel<BsonDocument>> removals = unused.stream()
			.map((lease) -> new DeleteOneModel<BsonDocument>(LockDocument.isStillVacant(lease)))
			.toList();
		return call.run("remove %d leases".formatted(removals.size()), "remove",
				(collection) -> collection.bulkWrite(removals, UNORDERED).getDeletedCount());
	}

	/** Raise the floor, and make sure that this is what it shows. */
	private static void raiseFloor(MongoCall call, long term) {
		Optional<RawBsonDocument> floor = call.run("raise the floor of terms", "find, insert and update",
				(collection) -> Optional.ofNullable(collection.withDocumentClass(RawBsonDocument.class)
					.findOneAndUpdate(LockDocument.isFloor(), Updates.max(LeaseDocument.TERM, term), AS_RAISED)));
		try {
			LockDocument.floor(StoredDocument.whole(floor.orElseThrow(), LeaseDocument.LIMIT), term);
		}
		catch (DamagedDocumentException ex) {
			throw new LeaseStoreException(
					"Could not remove leases in '%s': %s".formatted(call.collection(), ex.getMessage()), ex);
		}
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		return this.leases.take(takings, timeout);
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		return this.leases.release(releases, timeout);
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		return this.leases.pause(election, paused, timeout);
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		return this.leases.ask(expected, request, timeout);
	}

	@Override
	public LeaseWatch watch() {
		return this.leases.watch();
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return this.leases.create(session, timeout);
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return this.leases.renew(renewed, timeout);
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return this.leases.expire(seen, timeout);
	}

	@Override
	public void close(Session own, Duration timeout) {
		this.leases.close(own, timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, Duration timeout) {
		return this.leases.sessions(ids, timeout);
	}

	@Override
	public List<String> damaged() {
		return this.leases.damaged();
	}

}
