package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link LeaseStore} in MongoDB 4.4 or later, or a server compatible with it. Each
 * election has one document in the collection {@value #COLLECTION}:
 *
 * <pre class="code">
 * {
 *   _id: "nightly-report",            // the election
 *   holder: "shop@web-1:4711-k3v9",   // the candidate that holds the lease, or null
 *   session: NumberLong(81340276),    // the number of the holder's session, 0 while vacant
 *   term: NumberLong(7),              // raised by one at each taking: the fencing token
 *   revision: NumberLong(13),         // raised by one at each change
 *   ttlMillis: NumberLong(20000),     // what the holder asked for
 *   electedAt: ISODate("..."),        // when the term began, by the server's clock
 *   successor: "shop@web-2:815-x81b", // while vacant: for whom it is kept, if for anyone
 *   request: {                        // while somebody asks the holder to hand over
 *     term: NumberLong(7),            // this term, and no other
 *     by: "shop@web-2:815-x81b",      // through whom
 *     successor: "shop@web-2:815-x81b"
 *   },
 *   paused: true                      // while nobody may take it
 * }
 * </pre>
 *
 * A lease changes only when it is taken or released. That its holder lives is told by one
 * document per process and TTL in the collection {@value #SESSIONS}:
 *
 * <pre class="code">
 * {
 *   _id: "shop@web-1:4711-k3v9#81340276", // the candidate, and a number used once
 *   revision: NumberLong(1042),       // raised by one at each change
 *   ttlMillis: NumberLong(20000),     // for how long a renewal counts
 *   renewedAt: ISODate("..."),        // when it was last renewed, by the server's clock
 *   endedAt: ISODate("...")           // only if it has ended: since when
 * }
 * </pre>
 *
 * A session with an {@code endedAt} has ended. What the dates say is for people; nothing
 * is decided by it, but when to look again, and when to remove what is of no use any
 * more. Leases are never deleted by this class, so that terms never start again, and
 * fields that it does not know stay as they are.
 * <ol>
 * <li>Elections that have no document are given one with an {@code insert}: without a
 * holder, at revision 0. Of several that try, all but one fail on {@code _id}.
 * <li>A lease is taken by a {@code findAndModify}, several by one {@code update} command,
 * which names the revision and the term that it replaces, and sets holder, session and
 * term. It is taken when that very command says so and never because it is seen to be so
 * later: that might be the work of an attempt that was given up long ago. An
 * {@code update} says so for all of its statements or for none, as it tells only how many
 * have matched.
 * <li>Leases are released by an {@code update} in which each statement names revision,
 * term and holder, and sets the holder to null and the successor to the candidate, if
 * any, that the lease is left to.
 * <li>What the holder of a lease is asked for is set by an {@code update} which names
 * revision, term and holder, and changes none of them.
 * <li>A session is created by an {@code insert}, and renewed by a {@code findAndModify}
 * which names the revision before, and never inserts. The answer shows it as others see
 * it: one that they can't understand is not renewed.
 * <li>It is ended for good by an {@code update} which names the revision that was seen. A
 * renewal in between wins. Where there is none to be ended, one of revision 0 is created
 * first, by an {@code insert}, as a tombstone: it fails if there is one after all, and
 * its process can't renew it.
 * <li>A process that ends removes its session. Those of crashed ones are removed by a TTL
 * index on {@code endedAt}, some time after others have ended them, which is created at
 * first use. Where the database user may not create it a warning says once what to do,
 * and it is tried again now and then; nothing else depends on it.
 * <li>Many leases that are likely to be as they were are not read: one {@code aggregate}
 * adds them up by their sessions, and those are read whose sessions' sums have changed.
 * <li>Whoever follows reads up to {@value SessionQuery#MOST} sessions, and always those
 * that it asks for by their ids. By the age of the last renewal, which the server works
 * out, it knows when it is worth looking again.
 * </ol>
 * Hence a command that arrives late, or twice, changes nothing that matters any more.
 * <p>
 * Reads and writes have majority concern and go to the primary, whatever the settings of
 * the client are. The leases are watched by a change stream, which needs a replica set
 * and the privilege {@code changeStream}.
 */
public final class MongoLeaseStore implements LeaseStore {

	/**
	 * The name of the collection that holds the leases.
	 */
	public static final String COLLECTION = "leader_election_leases";

	/**
	 * The name of the collection that holds the sessions.
	 */
	public static final String SESSIONS = "leader_election_sessions";

	private static final Logger logger = LoggerFactory.getLogger(MongoLeaseStore.class);

	private static final Bson DATE = Projections.include(LeaseDocument.ELECTED_AT);

	private static final FindOneAndUpdateOptions AS_CHANGED = new FindOneAndUpdateOptions().projection(DATE)
		.returnDocument(ReturnDocument.AFTER);

	/**
	 * How long the server waits for a change until it says that there was none. Whether
	 * push works at all is found out as late.
	 */
	static final Duration WATCH_PATIENCE = Duration.ofSeconds(30);

	/** Who has taken leases must get on with it. */
	private static final Duration PATIENCE_FOR_DATE = Duration.ofMillis(500);

	private final MongoCollection<BsonDocument> collection;

	private final Duration watchPatience;

	private final MongoSessions sessions;

	private final LeaseQuery query = new LeaseQuery();

	private final LeaseDigests digests = new LeaseDigests();

	private final NameClashes clashes = new NameClashes();

	/**
	 * Create a store that leaves the index that removes old sessions to others. Does no
	 * I/O: the collections come into being with the first lease and session.
	 * @param database where leases and sessions are kept; all candidates of an election
	 * must use the same
	 */
	public MongoLeaseStore(MongoDatabase database) {
		this(database, null);
	}

	/**
	 * Create a store. Does no I/O: the collections come into being with the first lease
	 * and session.
	 * @param database where leases and sessions are kept; all candidates of an election
	 * must use the same
	 * @param retention how long the session of a process that is gone is kept after
	 * others have ended it, at least a second; ten times the longest TTL and no less than
	 * an hour is a good choice; {@code null} to leave the index to others
	 */
	public MongoLeaseStore(MongoDatabase database, @Nullable Duration retention) {
		this(database, retention, WATCH_PATIENCE);
	}

	MongoLeaseStore(MongoDatabase database, @Nullable Duration retention, Duration watchPatience) {
		this(database, COLLECTION, retention, watchPatience);
	}

	/**
	 * Create a store.
	 * @param collection the name of the collection that holds the leases
	 */
	MongoLeaseStore(MongoDatabase database, String collection, @Nullable Duration retention, Duration watchPatience) {
		this.watchPatience = watchPatience;
		this.collection = collection(database, collection);
		this.sessions = new MongoSessions(database, collection(database, SESSIONS), retention);
	}

	private static MongoCollection<BsonDocument> collection(MongoDatabase database, String name) {
		return database.getCollection(name, BsonDocument.class)
			// An application's own codecs have no business here.
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	/** Return how the index of sessions is, in words; {@code null} if not known yet. */
	@Nullable String indexState() {
		return this.sessions.indexState();
	}

	@Override
	public String place() {
		return "database '%s' of MongoDB".formatted(this.collection.getNamespace().getDatabaseName());
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		return read(elections, List.of(), timeout);
	}

	@Override
	public LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		return read(elections, known, timeout, (call, asked) -> reading(call, asked, this.query.find(call, asked)));
	}

	/** Find out which are as known, and read the others. */
	LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout,
			BiFunction<MongoCall, Set<String>, LeaseReading> query) {
		if (elections.isEmpty()) {
			return new LeaseReading(Map.of(), Map.of());
		}
		MongoCall call = call(timeout);
		Map<String, Lease> leases = new HashMap<>(this.digests.unchanged(call, elections, known));
		Set<String> others = new HashSet<>(elections);
		others.removeAll(leases.keySet());
		if (others.isEmpty()) {
			return new LeaseReading(leases, Map.of());
		}
		LeaseReading read = query.apply(call, others);
		leases.putAll(read.leases());
		return new LeaseReading(leases, read.damaged());
	}

	/** Begin a call to the collection that holds the leases. */
	MongoCall call(Duration timeout) {
		return new MongoCall(this.collection, timeout);
	}

	/** Return what these documents say of the leases that were asked for. */
	LeaseReading reading(MongoCall call, Set<String> asked, List<StoredDocument> documents) {
		Map<String, Lease> leases = new HashMap<>();
		Map<String, String> damaged = new HashMap<>();
		for (StoredDocument document : documents) {
			String election = document.id();
			// By a collation a document may answer to another name than its own.
			if (election != null && asked.contains(election)) {
				try {
					leases.put(election, LeaseDocument.toLease(document));
				}
				catch (DamagedDocumentException ex) {
					damaged.put(election, String.valueOf(ex.getMessage()));
				}
			}
		}
		for (String election : asked) {
			if (!leases.containsKey(election) && !damaged.containsKey(election)) {
				String clash = this.clashes.find(call, election);
				if (clash != null) {
					damaged.put(election, clash);
				}
			}
			else {
				this.clashes.forget(election);
			}
		}
		return new LeaseReading(leases, damaged);
	}

	@Override
	public Set<String> create(Collection<Lease> leases, Duration timeout) {
		return create(leases, LeaseDocument::vacant, timeout);
	}

	/**
	 * Insert a document for each lease.
	 * @return the elections which had none
	 */
	Set<String> create(Collection<Lease> leases, Function<Lease, BsonDocument> document, Duration timeout) {
		if (leases.isEmpty()) {
			return Set.of();
		}
		List<BsonDocument> documents = leases.stream().map(document).toList();
		List<String> elections = leases.stream().map(Lease::election).toList();
		Set<String> refused = call(timeout).run("create " + describe(elections), "insert",
				(collection) -> refused(collection, documents));
		this.clashes.suspect(refused);
		return elections.stream().filter((election) -> !refused.contains(election)).collect(Collectors.toSet());
	}

	/** Insert documents, and return the ids of those for which there is one already. */
	private static Set<String> refused(MongoCollection<BsonDocument> collection, List<BsonDocument> documents) {
		try {
			collection.insertMany(documents, new InsertManyOptions().ordered(false));
			return Set.of();
		}
		catch (MongoBulkWriteException ex) {
			boolean refused = ex.getWriteErrors()
				.stream()
				.allMatch((error) -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
			if (!refused || ex.getWriteConcernError() != null) {
				throw ex;
			}
			return ex.getWriteErrors()
				.stream()
				.map((error) -> documents.get(error.getIndex()).getString(LeaseDocument.ID).getValue())
				.collect(Collectors.toSet());
		}
	}

	@Override
	public Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout) {
		List<LeaseTaking> each = LeaseTaking.valid(takings);
		MongoCall call = call(timeout);
		return switch (each.size()) {
			case 0 -> Map.of();
			case 1 -> take(each.get(0), call);
			default -> takeAll(each, call);
		};
	}

	private static Map<String, Lease> take(LeaseTaking taking, MongoCall call) {
		String election = taking.expected().election();
		String what = "take " + describe(List.of(election));
		// Whatever else has become of the document, this term is granted by the answer.
		return call
			.run(what, "find and update",
					(collection) -> Optional.ofNullable(collection.withDocumentClass(RawBsonDocument.class)
						.findOneAndUpdate(takeable(taking.expected()), taking(taking), AS_CHANGED)))
			.map((document) -> Map.of(election,
					dated(taking.taken(), StoredDocument.whole(document, LeaseDocument.LIMIT))))
			.orElse(Map.of());
	}

	private static Map<String, Lease> takeAll(List<LeaseTaking> takings, MongoCall call) {
		List<UpdateOneModel<BsonDocument>> updates = takings.stream()
			.map((each) -> new UpdateOneModel<BsonDocument>(takeable(each.expected()), taking(each)))
			.toList();
		Map<String, Lease> taken = new LinkedHashMap<>();
		takings.forEach((each) -> taken.put(each.expected().election(), each.taken()));
		String what = "take " + describe(taken.keySet());
		BulkUpdate update = BulkUpdate.run(call, what, updates);
		update.failed().forEach((index) -> taken.remove(takings.get(index).expected().election()));
		boolean granted = update.isCertain(takings.size()) && !taken.isEmpty();
		if (!granted && update.failure() != null) {
			throw call.failed(what, "find and update", update.failure());
		}
		// Otherwise some are no longer as expected, and which is not told.
		return granted ? dated(taken, call.within(PATIENCE_FOR_DATE)) : Map.of();
	}

	/** Add the dates, which are only for people, if they can be had. */
	private static Map<String, Lease> dated(Map<String, Lease> taken, MongoCall call) {
		try {
			call.run("read %d leases".formatted(taken.size()), "find",
					(collection) -> collection.find(Filters.in(LeaseDocument.ID, taken.keySet()), RawBsonDocument.class)
						.projection(DATE)
						.batchSize(taken.size() + 1)
						.map((document) -> StoredDocument.whole(document, LeaseDocument.LIMIT))
						.into(new ArrayList<>()))
				.forEach((document) -> taken.computeIfPresent(String.valueOf(document.id()),
						(election, lease) -> dated(lease, document)));
		}
		catch (LeaseStoreException ex) {
			logger.debug("The dates of leases that were taken are not known", ex);
		}
		return taken;
	}

	private static Lease dated(Lease lease, StoredDocument stored) {
		try {
			return stored.read(LeaseDocument.LIMIT, List.of(LeaseDocument.ELECTED_AT),
					(document) -> lease.electedAt(StoredFields.instant(document, LeaseDocument.ELECTED_AT)));
		}
		catch (DamagedDocumentException ex) {
			return lease;
		}
	}

	/** Match a lease only as long as it is as it was seen. */
	private static Bson asExpected(Lease expected) {
		return Filters.and(Filters.eq(LeaseDocument.ID, expected.election()),
				Filters.eq(LeaseDocument.REVISION, expected.revision()),
				Filters.eq(LeaseDocument.TERM, expected.term()));
	}

	private static Bson takeable(Lease expected) {
		return Filters.and(asExpected(expected), Filters.ne(LeaseDocument.PAUSED, true));
	}

	private static Bson taking(LeaseTaking taking) {
		Lease taken = taking.taken();
		return Updates.combine(Updates.set(LeaseDocument.HOLDER, taken.holder()),
				Updates.set(LeaseDocument.SESSION, taken.session()), Updates.set(LeaseDocument.TERM, taken.term()),
				Updates.set(LeaseDocument.TTL_MILLIS, taken.ttl().toMillis()), Updates.inc(LeaseDocument.REVISION, 1L),
				Updates.currentDate(LeaseDocument.ELECTED_AT), Updates.unset(LeaseDocument.SUCCESSOR),
				Updates.unset(LeaseDocument.REQUEST));
	}

	@Override
	public int release(Collection<LeaseRelease> releases, Duration timeout) {
		if (releases.isEmpty()) {
			return 0;
		}
		List<UpdateOneModel<BsonDocument>> updates = releases.stream()
			.map((each) -> new UpdateOneModel<BsonDocument>(Filters.and(asExpected(each.expected()),
					Filters.eq(LeaseDocument.HOLDER, each.expected().holder())), release(each.successor())))
			.toList();
		String what = "release " + describe(releases.stream().map((each) -> each.expected().election()).toList());
		MongoCall call = call(timeout);
		BulkUpdate update = BulkUpdate.run(call, what, updates);
		if (update.failure() != null) {
			throw call.failed(what, "update", update.failure());
		}
		return update.matched();
	}

	private static Bson release(@Nullable String successor) {
		Bson keep = (successor != null) ? Updates.set(LeaseDocument.SUCCESSOR, successor)
				: Updates.unset(LeaseDocument.SUCCESSOR);
		return Updates.combine(Updates.set(LeaseDocument.HOLDER, null), Updates.set(LeaseDocument.SESSION, 0L), keep,
				Updates.inc(LeaseDocument.REVISION, 1L), Updates.unset(LeaseDocument.REQUEST));
	}

	@Override
	public boolean ask(Lease expected, HandoverRequest request, Duration timeout) {
		Bson held = Filters.and(asExpected(expected), Filters.eq(LeaseDocument.HOLDER, expected.holder()));
		return !expected.isVacant() && call(timeout)
			.run("ask the holder of " + describe(List.of(expected.election())), "update",
					(collection) -> collection.updateOne(held, LeaseDocument.asking(request)))
			.getMatchedCount() == 1;
	}

	@Override
	public boolean pause(String election, boolean paused, Duration timeout) {
		Bson lease = Filters.and(Filters.eq(LeaseDocument.ID, election), Filters.exists(LeaseDocument.TERM),
				paused ? Filters.ne(LeaseDocument.PAUSED, true) : Filters.eq(LeaseDocument.PAUSED, true));
		Bson change = paused ? Updates.set(LeaseDocument.PAUSED, true) : Updates.unset(LeaseDocument.PAUSED);
		return call(timeout)
			.run((paused ? "pause " : "resume ") + describe(List.of(election)), "update",
					(collection) -> collection.updateOne(lease, change))
			.getMatchedCount() == 1;
	}

	private static String describe(Collection<String> elections) {
		return (elections.size() == 1) ? "the lease of '%s'".formatted(elections.iterator().next())
				: "%d leases".formatted(elections.size());
	}

	@Override
	public LeaseWatch watch() {
		return MongoLeaseWatch.open(this.collection, this.watchPatience);
	}

	@Override
	public boolean create(Session session, Duration timeout) {
		return this.sessions.create(session, timeout);
	}

	@Override
	public boolean renew(Session renewed, Duration timeout) {
		return this.sessions.renew(renewed, timeout);
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return this.sessions.expire(seen, timeout);
	}

	@Override
	public void close(Session own, Duration timeout) {
		this.sessions.close(own, timeout);
	}

	@Override
	public SessionReading sessions(Collection<String> ids, Duration timeout) {
		return this.sessions.sessions(ids, timeout);
	}

	@Override
	public List<String> damaged() {
		return this.sessions.damaged();
	}

}
