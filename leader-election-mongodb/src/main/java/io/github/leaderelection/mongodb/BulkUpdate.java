package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.UpdateOneModel;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What became of several updates that were made by one command, in no order. The answer
 * has one number of matches for all of them.
 *
 * @param matched how many have matched
 * @param failed which have failed, by index: they have changed nothing
 * @param failure how they have failed, {@code null} if none has
 */
record BulkUpdate(int matched, Set<Integer> failed, @Nullable MongoBulkWriteException failure) {

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	static BulkUpdate run(MongoCall call, String what, List<UpdateOneModel<BsonDocument>> updates) {
		return run(call, what, "update", updates);
	}

	static BulkUpdate run(MongoCall call, String what, String actions, List<UpdateOneModel<BsonDocument>> updates) {
		return call.run(what, actions, (collection) -> write(collection, updates));
	}

	private static BulkUpdate write(MongoCollection<BsonDocument> collection,
			List<UpdateOneModel<BsonDocument>> updates) {
		try {
			return new BulkUpdate(collection.bulkWrite(updates, UNORDERED).getMatchedCount(), Set.of(), null);
		}
		catch (MongoBulkWriteException ex) {
			if (ex.getWriteConcernError() != null) {
				// Written, but perhaps on the primary alone, and a failover may take it
				// back: not done.
				throw ex;
			}
			Set<Integer> failed = ex.getWriteErrors()
				.stream()
				.map(BulkWriteError::getIndex)
				.collect(Collectors.toUnmodifiableSet());
			return new BulkUpdate(ex.getWriteResult().getMatchedCount(), failed, ex);
		}
	}

	/**
	 * Return whether it is known of each update if it has matched: all have, but for
	 * those that have failed.
	 * @param updates how many there were
	 */
	boolean isCertain(int updates) {
		return this.matched + this.failed.size() == updates;
	}

}
