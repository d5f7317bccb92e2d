package io.github.leaderelection.mongodb;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * Guards an application's own writes to MongoDB with the term of a leadership, inside the
 * same transaction. Once a later leader has raised the fence, a transaction of an earlier
 * leader can no longer commit, however long its process was paused.
 * <p>
 * Keeps a few documents per election in the collection {@value #COLLECTION}, by the id of
 * the lease. Each is a <em>lane</em>, so that concurrent transactions of one leader do
 * not get in each other's way:
 *
 * <pre>
 * { _id: { lease: "nightly-report", lane: 0 }, term: 7, passes: 42 }
 * </pre>
 * <ol>
 * <li>A leader raises the fence once per term, before its first transaction and outside
 * of it. This sets {@code term} to the leader's term in all lanes, unless it is greater.
 * Raising waits for transactions that are just passing.</li>
 * <li>A transaction passes the fence by a write to one lane, which matches only if the
 * lane shows the term of the leadership.</li>
 * <li>If a later leader raised the fence before the transaction began, the write matches
 * nothing. If it did so after that, MongoDB reports a write conflict. Either way the
 * transaction does not commit. Hence a leader that reads and writes in one fenced
 * transaction sees everything that its predecessors have committed, and they can commit
 * nothing more.</li>
 * </ol>
 * Where in the transaction the fence is passed makes no difference to this. Pass it last
 * if possible: until the transaction ends, a later leader has to wait for it.
 * <p>
 * Leases are in a collection of their own, so a long transaction does not delay an
 * election. Transactions need a replica set. Safe for use by any thread.
 */
public final class TermFence {

	/**
	 * The name of the collection that holds the fences.
	 */
	public static final String COLLECTION = "leader_election_fences";

	private final MongoCollection<Document> fences;

	private final FenceDocuments documents = new FenceDocuments();

	/**
	 * Create a fence.
	 * @param database the database that holds the fences, in the same cluster as the
	 * documents to be guarded
	 */
	public TermFence(MongoDatabase database) {
		this.fences = database.getCollection(COLLECTION)
			.withWriteConcern(WriteConcern.MAJORITY.withJournal(true))
			.withReadPreference(ReadPreference.primary());
	}

	/**
	 * Pass the fence, as part of the transaction that makes the guarded writes, after
	 * {@linkplain #raise(Leadership) raising} it. Calls the database.
	 * @param session the session, with a transaction started
	 * @param leadership the leadership in whose name the transaction writes
	 * @throws LeadershipLostException if the leadership is known to have ended or a later
	 * leader has raised the fence; the transaction must be aborted
	 * @throws IllegalStateException if the session has no transaction
	 * @throws MongoException if the database fails or the transaction must be run again
	 */
	public void pass(ClientSession session, Leadership leadership) {
		if (!session.hasActiveTransaction()) {
			throw new IllegalStateException("A fence can only be passed inside a transaction. Start one first");
		}
		leadership.requireHeld();
		raise(leadership);
		try (Passage passage = open(leadership)) {
			passage.pass((filter, update) -> this.fences.updateOne(session, filter, update).getMatchedCount());
		}
	}

	/**
	 * Raise the fence: from then on, no transaction of an earlier leader can pass it.
	 * Calls the database the first time in a term, outside of any transaction, and then
	 * waits for transactions that have passed the fence and not ended yet.
	 * @param leadership the leadership in whose name transactions are about to write
	 * @throws MongoException if the database fails
	 */
	public void raise(Leadership leadership) {
		if (!this.documents.isRaised(leadership)) {
			this.fences.bulkWrite(FenceDocuments.raising(leadership), FenceDocuments.RAISE);
			this.documents.raised(leadership);
		}
	}

	/**
	 * Reserve a lane for a transaction that will pass the fence. Does no I/O.
	 * @param leadership the leadership in whose name the transaction writes
	 * @return the passage, to be closed when the transaction has ended
	 */
	public Passage open(Leadership leadership) {
		return new Passage(this.documents.take(leadership));
	}

	/**
	 * The passage of one transaction through the fence.
	 */
	public final class Passage implements AutoCloseable {

		private final FenceDocuments.Lane lane;

		private Passage(FenceDocuments.Lane lane) {
			this.lane = lane;
		}

		/**
		 * Pass the fence with a collection that is bound to a session and its
		 * transaction, as Spring Data's collections are. Calls the database.
		 * @param bound the collection {@value TermFence#COLLECTION}
		 * @throws LeadershipLostException if the leadership is known to have ended or a
		 * later leader has raised the fence; the transaction must be aborted
		 * @throws MongoException if the database fails or the transaction must be run
		 * again
		 */
		public void pass(MongoCollection<Document> bound) {
			this.lane.leadership().requireHeld();
			pass((filter, update) -> bound.updateOne(filter, update).getMatchedCount());
		}

		private void pass(Update update) {
			try {
				if (update.apply(this.lane.passable(), FenceDocuments.PASS) == 0) {
					throw this.lane.missed();
				}
			}
			catch (MongoException ex) {
				if (FenceDocuments.isConflict(ex)
						&& TermFence.this.fences.find(this.lane.raisedByLater()).first() != null) {
					throw this.lane.lost(ex);
				}
				throw ex;
			}
		}

		/**
		 * Free the lane. The transaction must have ended: otherwise it may conflict with
		 * the next one in this lane.
		 */
		@Override
		public void close() {
			this.lane.close();
		}

	}

	private interface Update {

		long apply(Bson filter, Bson update);

	}

}
