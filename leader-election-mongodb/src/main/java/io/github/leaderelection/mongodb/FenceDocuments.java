package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.stream.IntStream;

import com.mongodb.MongoException;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * What a fence is made of, whichever driver writes it; see {@link TermFence}.
 */
final class FenceDocuments {

	/** What passing does to a lane, so that it is a write. */
	static final Bson PASS = Updates.inc("passes", 1L);

	/** Lanes don't wait for each other. */
	static final BulkWriteOptions RAISE = new BulkWriteOptions().ordered(false);

	/** The same in all versions that are ever run together. */
	private static final int LANES = 16;

	private static final String ID = "_id";

	private static final String TERM = "term";

	private static final int WRITE_CONFLICT = 112;

	private FenceDocuments() {
	}

	/** Return the writes by which a leadership raises the fence. */
	static List<UpdateOneModel<Document>> raising(Leadership leadership) {
		UpdateOptions upsert = new UpdateOptions().upsert(true);
		Bson update = Updates.max(TERM, leadership.term());
		return IntStream.range(0, LANES)
			.mapToObj((lane) -> new UpdateOneModel<Document>(Filters.eq(ID, id(leadership, lane)), update, upsert))
			.toList();
	}

	/** Return the filter for a lane while the leadership may pass. */
	static Bson passable(Leadership leadership, int lane) {
		return Filters.and(Filters.eq(ID, id(leadership, lane)), Filters.eq(TERM, leadership.term()));
	}

	/** Return the filter for a lane when a later leader has raised the fence. */
	static Bson raisedByLater(Leadership leadership, int lane) {
		return Filters.and(Filters.eq(ID, id(leadership, lane)), Filters.gt(TERM, leadership.term()));
	}

	private static Document id(Leadership leadership, int lane) {
		return new Document("lease", leadership.leaseId()).append("lane", lane % LANES);
	}

	/** Return whether a failure may mean that a later leader has raised the fence. */
	static boolean isConflict(MongoException failure) {
		return failure.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
	}

	/**
	 * Return the failure of a transaction that no lane lets pass, as MongoDB would put
	 * it.
	 */
	static MongoException raisedMeanwhile() {
		MongoException conflict = new MongoException(WRITE_CONFLICT,
				"The fence was raised after the transaction had begun, or is missing: run the transaction again");
		conflict.addLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
		return conflict;
	}

	static LeadershipLostException lost(Leadership leadership, MongoException conflict) {
		LeadershipLostException lost = leadership.lostException();
		lost.addSuppressed(conflict);
		return lost;
	}

}
