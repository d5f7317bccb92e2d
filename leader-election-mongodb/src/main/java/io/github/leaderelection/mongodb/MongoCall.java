package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoCollection;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.BsonDocument;

/**
 * One call to a store, bounded by the driver's client-side timeout. Any failure becomes a
 * {@link LeaseStoreException}.
 */
final class MongoCall {

	/** Error codes of an unauthorized command. Hosted servers use 8000. */
	private static final Set<Integer> UNAUTHORIZED = Set.of(13, 8000);

	private final MongoCollection<BsonDocument> collection;

	private final long started = System.nanoTime();

	private final Duration timeout;

	MongoCall(MongoCollection<BsonDocument> collection, Duration timeout) {
		this.collection = collection;
		this.timeout = timeout;
	}

	/**
	 * Run an operation within the rest of the timeout.
	 * @param what what the operation does, as a phrase that follows "Could not"
	 * @param actions the actions that the operation requires of the database user
	 * @param operation the operation
	 * @return its result
	 * @throws LeaseStoreException if the outcome is unknown, whatever the driver throws
	 */
	<T> T run(String what, String actions, Function<MongoCollection<BsonDocument>, T> operation) {
		try {
			return operation.apply(this.collection.withTimeout(remainingMillis(), TimeUnit.MILLISECONDS));
		}
		catch (RuntimeException ex) {
			throw failed(what, actions, ex);
		}
	}

	/** Return the full name of the collection. */
	String collection() {
		return this.collection.getNamespace().getFullName();
	}

	LeaseStoreException failed(String what, String actions, Exception cause) {
		return failed(what, actions, this.collection, cause);
	}

	/**
	 * Describe a failure. Servers and the driver put whole commands, addresses and user
	 * names into their messages. These stay in the cause, except for hosts that can't be
	 * reached.
	 */
	static LeaseStoreException failed(String what, String actions, MongoCollection<BsonDocument> collection,
			Exception cause) {
		String remedy = isUnauthorized(cause) ? ". Allow the database user to %s there".formatted(actions) : "";
		String message = "Could not %s in '%s': %s%s".formatted(what, collection.getNamespace().getFullName(),
				reason(cause), remedy);
		return (cause instanceof MongoCommandException && remedy.isEmpty())
				? new CommandRefusedException(message, reason(cause), cause)
				: new LeaseStoreException(message, isUnreachable(cause) ? "unreachable" : reason(cause), cause);
	}

	/** Include the errors of servers that change roles, temporary or lasting. */
	private static boolean isUnreachable(Exception cause) {
		return isUnanswered(cause) || cause instanceof MongoNotPrimaryException
				|| cause instanceof MongoNodeIsRecoveringException;
	}

	private static boolean isUnanswered(Exception cause) {
		return cause instanceof MongoOperationTimeoutException || cause instanceof MongoTimeoutException
				|| cause instanceof MongoSocketException;
	}

	static boolean isUnauthorized(Exception cause) {
		return cause instanceof MongoCommandException ex && UNAUTHORIZED.contains(ex.getCode());
	}

	static String reason(Exception cause) {
		if (isUnanswered(cause)) {
			return UnreachableServers.reason(cause);
		}
		if (cause instanceof MongoSecurityException) {
			return "the server does not accept the credentials. Check user name, password and authSource";
		}
		if (cause instanceof MongoCommandException ex) {
			return "code %d %s".formatted(ex.getCode(), ex.getErrorCodeName()).strip();
		}
		if (cause instanceof MongoBulkWriteException ex && !ex.getWriteErrors().isEmpty()) {
			return "code %d".formatted(ex.getWriteErrors().get(0).getCode());
		}
		if (cause instanceof MongoException ex && ex.getCode() > 0) {
			return "%s, code %d".formatted(ex.getClass().getSimpleName(), ex.getCode());
		}
		return (cause instanceof IllegalStateException) ? "the client is closed" : cause.getClass().getSimpleName();
	}

	// At least one: to the driver, zero means no limit.
	private long remainingMillis() {
		return Math.max(1, this.timeout.minusNanos(System.nanoTime() - this.started).toMillis());
	}

}
