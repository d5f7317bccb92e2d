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
import com.mongodb.client.model.Filters;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import io.github.leaderelection.store.SessionStore;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a {@link MongoLeaseStore}, in a collection of their own.
 */
final class MongoSessions implements SessionStore {

	/** About an hour of looks. */
	static final int PATIENCE_FOR_INDEX = 1800;

	private final MongoCollection<BsonDocument> collection;

	private final SessionQuery query = new SessionQuery();

	private final @Nullable ExpiryIndex expiryIndex;

	/**
	 * Create it. Does no I/O.
	 * @param database where sessions are kept
	 * @param collection the collection, with the concerns of the leases
	 * @param retention how long to keep sessions that others have ended, {@code null} to
	 * leave the index to others
	 */
	MongoSessions(MongoDatabase database, MongoCollection<BsonDocument> collection, @Nullable Duration retention) {
		this.collection = collection;
		this.expiryIndex = (retention != null)
				? new ExpiryIndex(database, SessionDocument.ENDED_AT, retention, PATIENCE_FOR_INDEX) : null;
	}

	/** Return how the index is, in words; {@code null} if nothing is known yet. */
	@Nullable String indexState() {
		return (this.expiryIndex != null) ? this.expiryIndex.state() : "left to others";
	}

	/**
	 * What is in the way and can't be understood is said to be so: it counts as missing,
	 * and would be replaced in vain for ever.
	 */
	@Override
	public boolean create(Session session, Duration timeout) {
		MongoCall call = call(timeout);
		boolean created = call.run("create " + describe(session), "insert",
				(collection) -> insert(collection, SessionDocument.created(session)));
		if (!created && !this.query.find(call, Set.of(session.id())).sessions().containsKey(session.id())) {
			throw unusable("create", session, "what is there instead can't be understood", null);
		}
		ensureIndex(call);
		return created;
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
	 * Renew it, and make sure that others see it: whoever believes in a session that
	 * others can't understand, or that is another by its id, leaves leases behind that
	 * nobody can take.
	 */
	@Override
	public boolean renew(Session renewed, Duration timeout) {
		Optional<StoredDocument> stored = this.query.findAndUpdate(call(timeout), "renew " + describe(renewed),
				SessionDocument.before(renewed), SessionDocument.renewal(renewed));
		if (stored.isEmpty()) {
			return false;
		}
		try {
			if (!SessionDocument.toSession(stored.get()).isSameRevisionAs(renewed)) {
				throw unusable("renew", renewed, "by the collation of the collection it is the same as another", null);
			}
			return true;
		}
		catch (DamagedDocumentException ex) {
			throw unusable("renew", renewed, String.valueOf(ex.getMessage()), ex);
		}
	}

	@Override
	public boolean expire(Session seen, Duration timeout) {
		return call(timeout)
			.run("end " + describe(seen), "update",
					(collection) -> collection.updateOne(SessionDocument.asSeen(seen), SessionDocument.end(seen)))
			.getMatchedCount() == 1;
	}

	@Override
	public void close(Session own, Duration timeout) {
		call(timeout).run("remove " + describe(own), "remove",
				(collection) -> collection.deleteOne(Filters.eq(SessionDocument.ID, own.id())));
	}

	@Override
	public SessionReading sessions(Collection<String> ids, Duration timeout) {
		MongoCall call = call(timeout);
		SessionReading reading = this.query.find(call, ids);
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

	private LeaseStoreException unusable(String what, Session session, String why, @Nullable Exception cause) {
		return new LeaseStoreException("Could not %s session '%s' in '%s': %s. Remove its document".formatted(what,
				session.id(), this.collection.getNamespace().getFullName(), why), cause);
	}

	private static String describe(Session session) {
		return "session '%s'".formatted(session.id());
	}

}
