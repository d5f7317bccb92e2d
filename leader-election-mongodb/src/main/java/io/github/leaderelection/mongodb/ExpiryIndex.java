package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TTL index on the candidates that is there if it can be. Never fails: while there is
 * no answer it tries again at the next opportunity. After a refusal it warns once, and
 * tries again when many opportunities have passed.
 */
final class ExpiryIndex {

	private static final Logger logger = LoggerFactory.getLogger(ExpiryIndex.class);

	/** There is an index of this name, or on this field, with other options. */
	private static final Set<Integer> DIFFERS = Set.of(85, 86);

	private static final String PRESENT = "there";

	/** About an hour of announcements. */
	static final int PATIENCE = 120;

	private final MongoDatabase database;

	private final String field;

	private final long seconds;

	private boolean settled;

	private volatile @Nullable String state;

	private boolean warned;

	/** How many opportunities to let pass. */
	private int toSkip;

	ExpiryIndex(MongoDatabase database, String field, Duration expireAfter) {
		this.database = database;
		this.field = field;
		// The server refuses more.
		this.seconds = Math.min(expireAfter.toSeconds(), Integer.MAX_VALUE);
	}

	/** Return how it is, in words; {@code null} if nothing is known yet. */
	@Nullable String state() {
		return this.state;
	}

	synchronized void ensure(MongoCall call) {
		if (this.settled) {
			return;
		}
		if (this.toSkip > 0) {
			this.toSkip--;
			return;
		}
		try {
			this.settled = call.run("ensure the TTL index", "createIndex", this::ensure);
		}
		catch (LeaseStoreException ex) {
			logger.debug("The TTL index is left to the next announcement", ex);
		}
	}

	private boolean ensure(MongoCollection<BsonDocument> collection) {
		try {
			createOrChange(collection);
			this.state = PRESENT;
			return true;
		}
		catch (MongoCommandException ex) {
			if (exists(collection)) {
				this.state = PRESENT;
				return true;
			}
			this.state = "missing (%s)".formatted(MongoCall.reason(ex));
			this.toSkip = PATIENCE;
			if (!this.warned) {
				this.warned = true;
				warn(collection, ex);
			}
			return false;
		}
	}

	private void createOrChange(MongoCollection<BsonDocument> collection) {
		try {
			collection.createIndex(Indexes.ascending(this.field),
					new IndexOptions().expireAfter(this.seconds, TimeUnit.SECONDS));
		}
		catch (MongoCommandException ex) {
			if (!DIFFERS.contains(ex.getCode()) || exists(collection)) {
				throw ex;
			}
			BsonDocument index = new BsonDocument("keyPattern", new BsonDocument(this.field, new BsonInt32(1)))
				.append("expireAfterSeconds", new BsonInt64(this.seconds));
			String name = collection.getNamespace().getCollectionName();
			this.database.withTimeout(timeoutMillis(collection), TimeUnit.MILLISECONDS)
				.runCommand(new BsonDocument("collMod", new BsonString(name)).append("index", index));
		}
	}

	private static long timeoutMillis(MongoCollection<BsonDocument> collection) {
		Long limit = collection.getTimeout(TimeUnit.MILLISECONDS);
		return Objects.requireNonNull(limit, "An operation without a limit");
	}

	/** Whoever refuses to create the index may have it, by hand of an administrator. */
	private boolean exists(MongoCollection<BsonDocument> collection) {
		try {
			for (BsonDocument index : collection.listIndexes(BsonDocument.class)) {
				if (index.getDocument("key").equals(new BsonDocument(this.field, new BsonInt32(1)))
						&& index.isNumber("expireAfterSeconds")
						&& index.getNumber("expireAfterSeconds").longValue() == this.seconds) {
					return true;
				}
			}
			return false;
		}
		catch (MongoCommandException ex) {
			return false;
		}
	}

	private void warn(MongoCollection<BsonDocument> collection, MongoCommandException ex) {
		String name = collection.getNamespace().getCollectionName();
		logger.warn("""
				Entries of crashed candidates may stay in '{}', because its TTL index could not be created or changed \
				({}). Elections are not affected. To have them removed, let the database user createIndex there, or \
				create the index yourself in place of any other on that field: \
				db.{}.createIndex({{}: 1}, {expireAfterSeconds: {}})""", collection.getNamespace().getFullName(),
				MongoCall.reason(ex), name, this.field, this.seconds);
	}

}
