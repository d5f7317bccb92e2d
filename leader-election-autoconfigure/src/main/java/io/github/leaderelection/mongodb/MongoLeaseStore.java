package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRenewal;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LeaseStore} in MongoDB 4.4 or later, or a server compatible with it. Each
 * election has one document in the collection {@value #COLLECTION}:
 *
 * <pre class="code">
 * {
 *   _id: "nightly-report",            // the election
 *   holder: "shop@web-1:4711-k3v9",   // the candidate that holds the lease, or null
 *   term: NumberLong(7),              // raised by one at each taking: the fencing token
 *   revision: NumberLong(1042),       // raised by one at each change, renewals too
 *   ttlMillis: NumberLong(20000),     // what the holder asked for
 *   electedAt: ISODate("..."),        // when the term began, by the server's clock
 *   renewedAt: ISODate("..."),        // when the lease changed last, by the same
 *   successor: "shop@web-2:815-x81b"  // while vacant: for whom it is kept, if for anyone
 * }
 * </pre>
 *
 * The dates are for people; nothing is decided by them. Documents are never deleted by
 * this class, so that terms never start again, and fields that it does not know stay as
 * they are.
 * <ol>
 * <li>An election that has no document is given one with an {@code insert}: without a
 * holder, at revision 0. Of several that try, all but one fail on {@code _id}.
 * <li>A lease is taken by a {@code findAndModify} that names the revision and the term
 * which it replaces, and sets holder and term. It is taken when that very command says so
 * and never because it is seen to be so later: that might be the work of an attempt that
 * was given up long ago.
 * <li>Leases are renewed by one {@code update} command for all of them, in which each
 * statement names holder and term, and raises the revision.
 * <li>A lease is released by an {@code update} that names holder and term, and sets the
 * holder to null and the successor to the candidate, if any, that it is left to.
 * <li>Whoever waits for a lease sees by its revision whether it has been renewed, and by
 * the age of the renewal, which the server works out, when it is worth looking again.
 * </ol>
 * Hence a command that arrives late, or twice, matches nothing any more.
 * <p>
 * Reads and writes have majority concern and go to the primary, whatever the settings of
 * the client are. Takings and releases are watched by a change stream, which needs a
 * replica set and the privilege {@code changeStream}. The server keeps renewals from it:
 * they are most of all changes, and followers need not know them at once.
 */
public final class MongoLeaseStore implements LeaseStore {

	/**
	 * The name of the collection that holds the leases.
	 */
	public static final String COLLECTION = "leader_election_leases";

	private static final FindOneAndUpdateOptions AS_CHANGED = new FindOneAndUpdateOptions()
		.returnDocument(ReturnDocument.AFTER);

	private static final String READ_AT = "readAt";

	private static final Bson DATED = Projections.fields(LeaseDocument.PROJECTION,
			Projections.computed(READ_AT, "$$NOW"));

	/**
	 * How long the server waits for a change until it says that there was none. Whether
	 * push works at all is found out as late.
	 */
	private static final Duration WATCH_PATIENCE = Duration.ofSeconds(15);

	private final MongoCollection<BsonDocument> collection;

	private final Duration watchPatience;

	/** Whether the server can't tell when it reads. */
	private volatile boolean undated;

	/**
	 * Create a store. Does no I/O: the collection comes into being with the first lease.
	 * @param database where leases are kept; all candidates of an election must use the
	 * same
	 */
	public MongoLeaseStore(MongoDatabase database) {
		this(database, WATCH_PATIENCE);
	}

	MongoLeaseStore(MongoDatabase database, Duration watchPatience) {
		this.watchPatience = watchPatience;
		this.collection = database.getCollection(COLLECTION, BsonDocument.class)
			// An application's own codecs have no business here.
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@Override
	public LeaseReading read(Collection<String> elections, Duration timeout) {
		if (elections.isEmpty()) {
			return new LeaseReading(Map.of(), Map.of(), null);
		}
		Map<String, BsonDocument> found = findDated(new MongoCall(this.collection, timeout), Set.copyOf(elections));
		Map<String, Lease> leases = new HashMap<>();
		Map<String, String> damaged = new HashMap<>();
		found.forEach((election, document) -> {
			try {
				leases.put(election, LeaseDocument.toLease(document));
			}
			catch (DamagedLeaseException ex) {
				damaged.put(election, String.valueOf(ex.getMessage()));
			}
		});
		Instant readAt = found.values()
			.stream()
			.map((document) -> LeaseDocument.instant(document, READ_AT))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		return new LeaseReading(leases, damaged, readAt);
	}

	/** Find leases, and if the server can tell, the time at which they were read. */
	private Map<String, BsonDocument> findDated(MongoCall call, Set<String> elections) {
		if (this.undated) {
			return find(call, elections, LeaseDocument.PROJECTION);
		}
		try {
			return find(call, elections, DATED);
		}
		catch (LeaseStoreException ex) {
			if (!(ex.getCause() instanceof MongoCommandException refused) || MongoCall.isUnauthorized(refused)) {
				throw ex;
			}
			// A compatible server need not know the variable.
			Map<String, BsonDocument> found = find(call, elections, LeaseDocument.PROJECTION);
			this.undated = true;
			return found;
		}
	}

	@Override
	public boolean create(String election, long term, Duration ttl, Duration timeout) {
		BsonDocument document = LeaseDocument.vacant(election, term, ttl);
		return new MongoCall(this.collection, timeout).run("create the lease of '%s'".formatted(election), "insert",
				(collection) -> {
					try {
						collection.insertOne(document);
						return true;
					}
					catch (MongoWriteException ex) {
						if (ex.getError().getCategory() == ErrorCategory.DUPLICATE_KEY) {
							return false;
						}
						throw ex;
					}
				});
	}

	@Override
	public Optional<Lease> take(Lease expected, LeaseClaim claim, Duration ttl, Duration timeout) {
		claim.requireSucceeds(expected);
		Bson asExpected = Filters.and(Filters.eq(LeaseDocument.ID, expected.election()),
				Filters.eq(LeaseDocument.REVISION, expected.revision()),
				Filters.eq(LeaseDocument.TERM, expected.term()));
		Bson change = Updates.combine(Updates.set(LeaseDocument.HOLDER, claim.holder()),
				Updates.set(LeaseDocument.TERM, claim.term()), Updates.set(LeaseDocument.TTL_MILLIS, ttl.toMillis()),
				Updates.inc(LeaseDocument.REVISION, 1L), Updates.currentDate(LeaseDocument.ELECTED_AT),
				Updates.currentDate(LeaseDocument.RENEWED_AT), Updates.unset(LeaseDocument.SUCCESSOR));
		String what = "take the lease of '%s'".formatted(claim.election());
		MongoCall call = new MongoCall(this.collection, timeout);
		Optional<BsonDocument> taken = call.run(what, "find and update",
				(collection) -> Optional.ofNullable(collection.findOneAndUpdate(asExpected, change, AS_CHANGED)));
		try {
			return taken.isPresent() ? Optional.of(LeaseDocument.toLease(taken.get())) : Optional.empty();
		}
		catch (DamagedLeaseException ex) {
			throw call.failed(what, "find and update", ex);
		}
	}

	@Override
	public LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout) {
		Set<LeaseClaim> each = Set.copyOf(claims);
		if (each.isEmpty()) {
			return new LeaseRenewal(Set.of(), Set.of());
		}
		return new BulkRenewal(each).run(new MongoCall(this.collection, timeout));
	}

	@Override
	public boolean release(LeaseClaim claim, @Nullable String successor, Duration timeout) {
		Bson keep = (successor != null) ? Updates.set(LeaseDocument.SUCCESSOR, successor)
				: Updates.unset(LeaseDocument.SUCCESSOR);
		Bson change = Updates.combine(Updates.set(LeaseDocument.HOLDER, null), keep,
				Updates.inc(LeaseDocument.REVISION, 1L), Updates.currentDate(LeaseDocument.RENEWED_AT));
		return new MongoCall(this.collection, timeout).run("release the lease of '%s'".formatted(claim.election()),
				"update", (collection) -> collection.updateOne(asClaimed(claim), change).getMatchedCount() == 1);
	}

	@Override
	public LeaseWatch watch() {
		return MongoLeaseWatch.open(this.collection, this.watchPatience);
	}

	/**
	 * Match a lease only as long as it is as claimed: a former holder changes nothing.
	 */
	static Bson asClaimed(LeaseClaim claim) {
		return Filters.and(Filters.eq(LeaseDocument.ID, claim.election()),
				Filters.eq(LeaseDocument.HOLDER, claim.holder()), Filters.eq(LeaseDocument.TERM, claim.term()));
	}

	/**
	 * Return the documents of elections, by election, in one round trip.
	 */
	static Map<String, BsonDocument> find(MongoCall call, Set<String> elections, Bson projection) {
		return call.run("read %d leases".formatted(elections.size()), "find", (collection) -> {
			Map<String, BsonDocument> found = new HashMap<>();
			collection.find(Filters.in(LeaseDocument.ID, elections))
				.projection(projection)
				// One more than there can be: the server need not be asked whether that
				// was all.
				.batchSize(elections.size() + 1)
				.forEach((document) -> found.put(document.getString(LeaseDocument.ID).getValue(), document));
			return found;
		});
	}

}
