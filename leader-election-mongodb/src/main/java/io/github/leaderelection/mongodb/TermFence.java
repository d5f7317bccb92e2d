package io.github.leaderelection.mongodb;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Guards an application's own writes to MongoDB with the term of a leadership, inside the
 * same transaction. Once a later leader has passed the fence, a transaction of an earlier
 * one cannot commit any more, however long its process was paused.
 * <p>
 * Keeps one document per election, under the id of its lease, in collection
 * {@value #COLLECTION}:
 *
 * <pre>
 * { _id: "nightly-report", term: 7, passes: 42 }
 * </pre>
 * <ol>
 * <li>Passing the fence sets {@code term} to that of the leadership if the stored one is
 * not greater, and counts the pass, which makes it a write in any case.</li>
 * <li>If the stored term is greater, a later leader was here: nothing matches, and the
 * transaction fails.</li>
 * <li>Two transactions that pass the fence of one election at once are in conflict, so
 * MongoDB lets one of them commit and has the other start again. Hence a leader that
 * reads and writes in one fenced transaction sees all that its predecessors have
 * committed, and nothing of theirs is committed later.</li>
 * </ol>
 * The leases are a collection of their own: a long transaction does not hold up an
 * election.
 * <p>
 * Transactions need a replica set. Safe for use by any thread.
 */
public final class TermFence {

	/**
	 * The name of the collection that holds the fences.
	 */
	public static final String COLLECTION = "leader_election_fences";

	private static final String ID = "_id";

	private static final String TERM = "term";

	private final MongoCollection<Document> fences;

	/**
	 * Create a fence. The collection should exist before the first transaction on MongoDB
	 * versions that can't create one inside a transaction.
	 * @param database the database that holds the fences, in the same cluster as the
	 * documents to be guarded
	 */
	public TermFence(MongoDatabase database) {
		this.fences = database.getCollection(COLLECTION);
	}

	/**
	 * Pass the fence, as part of the transaction that makes the guarded writes. Calls the
	 * database.
	 * @param session the session, with a transaction started
	 * @param leadership the leadership in whose name the transaction writes
	 * @throws LeadershipLostException if the leadership is known to have ended, or a
	 * later one has passed the fence; the transaction must be aborted
	 * @throws IllegalStateException if the session has no transaction
	 * @throws com.mongodb.MongoException if the database fails, or asks for the
	 * transaction to be run again
	 */
	public void pass(ClientSession session, Leadership leadership) {
		if (!session.hasActiveTransaction()) {
			throw new IllegalStateException("A fence guards the writes of a transaction: start one before passing it");
		}
		leadership.requireHeld();
		String lease = leadership.leaseId();
		Bson passedByLater = Filters.and(Filters.eq(ID, lease), Filters.gt(TERM, leadership.term()));
		if (this.fences.find(session, passedByLater).projection(Projections.include(ID)).first() != null) {
			throw new LeadershipLostException(leadership);
		}
		// What was read can't change unseen: the update fails with a conflict if it has.
		this.fences.updateOne(session, Filters.eq(ID, lease),
				Updates.combine(Updates.set(TERM, leadership.term()), Updates.inc("passes", 1L)),
				new UpdateOptions().upsert(true));
	}

}
