package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.store.BeatReply;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.HeartbeatStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.PauseRequest;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeats of a {@link MongoLeaseStore}, in a collection of their own.
 */
final class MongoHeartbeats implements HeartbeatStore {

	/** About an hour of looks. */
	static final int PATIENCE_FOR_INDEX = 1800;

	/** Somebody has to come first. */
	private static final int ATTEMPTS_TO_ASK = 10;

	private static final Logger logger = LoggerFactory.getLogger(MongoHeartbeats.class);

	private final MongoCollection<BsonDocument> collection;

	private final HeartbeatQuery query = new HeartbeatQuery();

	private final @Nullable ExpiryIndex expiryIndex;

	/**
	 * Create it. Does no I/O.
	 * @param database where heartbeats are kept
	 * @param collection the collection, with the concerns of the leases
	 * @param retention how long to keep heartbeats whose epoch was ended, {@code null} to
	 * leave the index to others
	 */
	MongoHeartbeats(MongoDatabase database, MongoCollection<BsonDocument> collection, @Nullable Duration retention) {
		this.collection = collection;
		this.expiryIndex = (retention != null)
				? new ExpiryIndex(database, HeartbeatDocument.ENDED_AT, retention, PATIENCE_FOR_INDEX) : null;
	}

	/** Return how the index is, in words; {@code null} if nothing is known yet. */
	@Nullable String indexState() {
		return (this.expiryIndex != null) ? this.expiryIndex.state() : "left to others";
	}

	@Override
	public boolean enter(Heartbeat first, Duration timeout) {
		MongoCall call = call(timeout);
		boolean entered = call.run("enter " + describe(first), "insert",
				(collection) -> insert(collection, HeartbeatDocument.entry(first)));
		if (!entered && !this.query.find(call, Set.of(first.id())).heartbeats().containsKey(first.id())) {
			throw unusable(first, "what is there instead can't be understood", null);
		}
		ensureIndex(call);
		return entered;
	}

	private static boolean insert(MongoCollection<BsonDocument> collection, BsonDocument document) {
		try {
			collection.insertOne(document);
			return true;
		}
		catch (MongoWriteException ex) {
			if (ex.getError().getCategory() != ErrorCategory.DUPLICATE_KEY) {
				throw ex;
			}
			return false;
		}
	}

	/**
	 * Beat, and make sure that others see it: to them a heartbeat that can't be
	 * understood is none, and one whose beat is not raised is silent. They would take the
	 * leases of whoever goes on to believe in it.
	 */
	@Override
	public BeatReply beat(Heartbeat next, Duration timeout) {
		Optional<StoredDocument> beaten = this.query.findAndUpdate(call(timeout), "beat " + describe(next),
				HeartbeatDocument.ofEpoch(next), HeartbeatDocument.beat(next));
		if (beaten.isEmpty()) {
			return BeatReply.REFUSED;
		}
		try {
			Heartbeat stored = HeartbeatDocument.toHeartbeat(beaten.get());
			if (!stored.id().equals(next.id())) {
				throw unusable(next, "by the collation of the collection it is the same as another", null);
			}
			return (stored.beat() == next.beat()) ? new BeatReply(true, requests(beaten.get())) : BeatReply.REFUSED;
		}
		catch (DamagedDocumentException ex) {
			throw unusable(next, String.valueOf(ex.getMessage()), ex);
		}
	}

	/** Whatever somebody has written there: the beat counts. */
	private static List<PauseRequest> requests(StoredDocument beaten) {
		try {
			return HeartbeatDocument.requests(beaten);
		}
		catch (DamagedDocumentException ex) {
			logger.debug("Requests are left out", ex);
			return List.of();
		}
	}

	/**
	 * What is there is read, and replaced by what there is room for, unless somebody else
	 * was first. A plain update can't count bytes, and servers that are merely compatible
	 * may know of no other.
	 */
	@Override
	public boolean ask(String id, PauseRequest request, Duration timeout) {
		MongoCall call = call(timeout);
		String what = "ask the process of heartbeat '%s'".formatted(id);
		for (int attempt = 0; attempt < ATTEMPTS_TO_ASK; attempt++) {
			StoredDocument stored = this.query.findOne(call, what, id).orElse(null);
			BsonDocument asked = (stored != null) ? asked(stored, id) : null;
			Bson change = (stored != null && asked != null) ? HeartbeatDocument.asking(asked, stored.bytes(), request)
					: null;
			if (asked == null || change == null) {
				return false;
			}
			boolean left = call
				.run(what, "update", (collection) -> collection.updateOne(HeartbeatDocument.asAsked(id, asked), change))
				.getMatchedCount() == 1;
			if (left) {
				return true;
			}
		}
		throw new LeaseStoreException(
				"Could not %s in '%s': others ask it for something at the same time".formatted(what, call.collection()),
				null);
	}

	/** Return what is asked for at a heartbeat, if that can be understood, and it too. */
	private static @Nullable BsonDocument asked(StoredDocument stored, String id) {
		try {
			return HeartbeatDocument.toHeartbeat(stored).id().equals(id) ? HeartbeatDocument.asked(stored) : null;
		}
		catch (DamagedDocumentException ex) {
			return null;
		}
	}

	@Override
	public boolean end(Heartbeat seen, long epoch, Duration timeout) {
		if (epoch > Heartbeat.MAX_EPOCH) {
			throw unusable(seen, "'epoch' can't be raised beyond %d".formatted(Heartbeat.MAX_EPOCH), null);
		}
		if (epoch <= seen.epoch()) {
			return false;
		}
		return call(timeout)
			.run("end " + describe(seen), "update",
					(collection) -> collection.updateOne(HeartbeatDocument.asSeen(seen), HeartbeatDocument.end(epoch)))
			.getMatchedCount() == 1;
	}

	@Override
	public void leave(Heartbeat own, Duration timeout) {
		call(timeout).run("remove " + describe(own), "remove",
				(collection) -> collection.deleteOne(HeartbeatDocument.ofEpoch(own)));
	}

	@Override
	public HeartbeatReading heartbeats(Collection<String> ids, Duration timeout) {
		MongoCall call = call(timeout);
		HeartbeatReading reading = this.query.find(call, ids);
		ensureIndex(call);
		return reading;
	}

	@Override
	public List<String> damaged() {
		return this.query.damaged();
	}

	private void ensureIndex(MongoCall call) {
		if (this.expiryIndex != null) {
			this.expiryIndex.ensure(call);
		}
	}

	private MongoCall call(Duration timeout) {
		return new MongoCall(this.collection, timeout);
	}

	private LeaseStoreException unusable(Heartbeat heartbeat, String why, @Nullable Exception cause) {
		return new LeaseStoreException("Could not beat in '%s': %s. Remove the document of %s"
			.formatted(this.collection.getNamespace().getFullName(), why, describe(heartbeat)), cause);
	}

	private static String describe(Heartbeat heartbeat) {
		return "heartbeat '%s'".formatted(heartbeat.id());
	}

}
