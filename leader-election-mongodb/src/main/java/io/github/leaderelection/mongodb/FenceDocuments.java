package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
 * The documents of a fence, which both drivers share, and what this process knows of
 * them; see {@link TermFence}. Safe for use by any thread.
 */
final class FenceDocuments {

	/** The update that passes a lane: only a write can conflict with a raise. */
	static final Bson PASS = Updates.inc("passes", 1L);

	/** No lane waits for another. */
	static final BulkWriteOptions RAISE = new BulkWriteOptions().ordered(false);

	/** Must be the same in all versions that ever run together. */
	private static final int LANES = 16;

	private static final String ID = "_id";

	private static final String TERM = "term";

	private static final int WRITE_CONFLICT = 112;

	private final Lanes lanes = new Lanes();

	/** The highest term for which this process has raised the fence, by lease. */
	private final Map<String, Long> raised = new ConcurrentHashMap<>();

	/** Return whether this process has raised the fence for this or a later term. */
	boolean isRaised(Leadership leadership) {
		Long last = this.raised.get(leadership.leaseId());
		return last != null && last >= leadership.term();
	}

	void raised(Leadership leadership) {
		this.raised.merge(leadership.leaseId(), leadership.term(), Math::max);
	}

	/** Reserve a lane for a transaction. */
	Lane take(Leadership leadership) {
		return new Lane(leadership, this.lanes.take(leadership.leaseId()));
	}

	/** Return the writes with which a leadership raises the fence. */
	static List<UpdateOneModel<Document>> raising(Leadership leadership) {
		UpdateOptions upsert = new UpdateOptions().upsert(true);
		Bson update = Updates.max(TERM, leadership.term());
		return IntStream.range(0, LANES)
			.mapToObj((lane) -> new UpdateOneModel<Document>(Filters.eq(ID, id(leadership, lane)), update, upsert))
			.toList();
	}

	private static Document id(Leadership leadership, int lane) {
		return new Document("lease", leadership.leaseId()).append("lane", lane % LANES);
	}

	/** Return whether a failure may mean that a later leader has raised the fence. */
	static boolean isConflict(MongoException failure) {
		return failure.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
	}

	/**
	 * The lane in which one transaction passes the fence.
	 */
	final class Lane implements AutoCloseable {

		private final Leadership leadership;

		private final int number;

		private Lane(Leadership leadership, int number) {
			this.leadership = leadership;
			this.number = number;
		}

		Leadership leadership() {
			return this.leadership;
		}

		/** Return a filter that matches the lane while the leadership may pass. */
		Bson passable() {
			return Filters.and(Filters.eq(ID, id(this.leadership, this.number)),
					Filters.eq(TERM, this.leadership.term()));
		}

		/** Return a filter that matches the lane once a later leader has raised it. */
		Bson raisedByLater() {
			return Filters.and(Filters.eq(ID, id(this.leadership, this.number)),
					Filters.gt(TERM, this.leadership.term()));
		}

		/**
		 * Return the failure of a transaction that may not pass the lane, in the form of
		 * MongoDB's own write conflict. The fence is raised again before the next
		 * transaction.
		 */
		MongoException missed() {
			FenceDocuments.this.raised.remove(this.leadership.leaseId());
			MongoException conflict = new MongoException(WRITE_CONFLICT,
					"The fence was raised after the transaction had begun, or is missing: run the transaction again");
			conflict.addLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL);
			return conflict;
		}

		/** Return the failure of a transaction that a later leader has fenced off. */
		LeadershipLostException lost(MongoException conflict) {
			LeadershipLostException lost = this.leadership.lostException();
			lost.addSuppressed(conflict);
			return lost;
		}

		@Override
		public void close() {
			FenceDocuments.this.lanes.giveBack(this.leadership.leaseId(), this.number);
		}

	}

}
