package io.github.leaderelection.mongodb;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.result.UpdateResult;
import com.mongodb.reactivestreams.client.ClientSession;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * A {@link TermFence} for the reactive driver, on the same collection: a leader may write
 * with either driver. Nothing happens before subscription. Safe for use by any thread;
 * never blocks.
 */
public final class ReactiveTermFence {

	private final MongoCollection<Document> fences;

	private final FenceDocuments documents = new FenceDocuments();

	/**
	 * Create a fence.
	 * @param database the database that holds the fences, in the same cluster as the
	 * documents to be guarded
	 */
	public ReactiveTermFence(MongoDatabase database) {
		this.fences = database.getCollection(TermFence.COLLECTION)
			.withWriteConcern(WriteConcern.MAJORITY.withJournal(true))
			.withReadPreference(ReadPreference.primary());
	}

	/**
	 * Pass the fence, as part of the transaction that makes the guarded writes, after
	 * {@linkplain #raise(Leadership) raising} it.
	 * @param session the session, with a transaction started
	 * @param leadership the leadership in whose name the transaction writes
	 * @return completes when the fence is passed; fails with
	 * {@link LeadershipLostException} if the leadership is known to have ended or a later
	 * leader has raised the fence, with {@link IllegalStateException} if the session has
	 * no transaction, and with {@link MongoException} if the database fails or the
	 * transaction must be run again
	 */
	public Mono<Void> pass(ClientSession session, Leadership leadership) {
		return Mono.defer(() -> {
			if (!session.hasActiveTransaction()) {
				throw new IllegalStateException("A fence can only be passed inside a transaction. Start one first");
			}
			leadership.requireHeld();
			return raise(leadership).then(Mono.using(() -> open(leadership),
					(passage) -> passage.pass(this.fences.updateOne(session, passage.filter(), FenceDocuments.PASS)),
					Passage::close));
		});
	}

	/**
	 * Raise the fence: from then on, no transaction of an earlier leader can pass it.
	 * Calls the database the first time in a term, outside of any transaction, and then
	 * waits for transactions that have passed the fence and not ended yet.
	 * @param leadership the leadership in whose name transactions are about to write
	 * @return completes when the fence is raised; fails with {@link MongoException} if
	 * the database fails
	 */
	public Mono<Void> raise(Leadership leadership) {
		return Mono.defer(() -> {
			if (this.documents.isRaised(leadership)) {
				return Mono.empty();
			}
			return Mono.from(this.fences.bulkWrite(FenceDocuments.raising(leadership), FenceDocuments.RAISE))
				.doOnSuccess((result) -> this.documents.raised(leadership))
				.then();
		});
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
		 * transaction, as Spring Data's collections are.
		 * @param bound the collection {@value TermFence#COLLECTION}
		 * @return completes when the fence is passed; fails with
		 * {@link LeadershipLostException} if the leadership is known to have ended or a
		 * later leader has raised the fence, and with {@link MongoException} if the
		 * database fails or the transaction must be run again
		 */
		public Mono<Void> pass(MongoCollection<Document> bound) {
			return Mono.defer(() -> {
				this.lane.leadership().requireHeld();
				return pass(bound.updateOne(filter(), FenceDocuments.PASS));
			});
		}

		private Bson filter() {
			return this.lane.passable();
		}

		private Mono<Void> pass(Publisher<UpdateResult> update) {
			return Mono.from(update).flatMap((result) -> {
				if (result.getMatchedCount() == 0) {
					return Mono.<Void>error(this.lane.missed());
				}
				return Mono.<Void>empty();
			}).onErrorResume(MongoException.class, this::explain);
		}

		private Mono<Void> explain(MongoException failure) {
			if (!FenceDocuments.isConflict(failure)) {
				return Mono.error(failure);
			}
			return Mono.from(ReactiveTermFence.this.fences.find(this.lane.raisedByLater()).first())
				.flatMap((raised) -> Mono.<Void>error(this.lane.lost(failure)))
				.switchIfEmpty(Mono.error(failure));
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

}
