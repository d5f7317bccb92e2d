package io.github.leaderelection.mongodb;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TermFence}.
 */
class TermFenceTests extends TermFenceContractTests {

	private final MongoCollection<Document> accounts = this.database.getCollection("accounts");

	private final TermFence fence = new TermFence(this.database);

	@Test
	void newLeaderWaitsForATransactionOfItsPredecessorThatHasPassed() throws Exception {
		book(led(1));
		try (ClientSession former = this.mongo.client().startSession()) {
			former.startTransaction();
			this.fence.pass(former, led(1));
			this.accounts.updateOne(former, new Document("_id", "a"), INCREMENT);
			CompletableFuture<Void> latter = CompletableFuture
				.runAsync(() -> new TermFence(this.database).raise(led(2)));
			// It is waiting: MongoDB shows its command
			await().until(() -> this.mongo.client()
				.getDatabase("admin")
				.aggregate(List.of(new Document("$currentOp", new Document()),
						new Document("$match",
								new Document("ns", this.database.getName() + "." + TermFence.COLLECTION)
									.append("active", true))))
				.first() != null);
			assertThat(latter).isNotDone();
			former.commitTransaction();
			latter.get(60, TimeUnit.SECONDS);
		}
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(led(1)));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void concurrentTransactionsOfOneLeaderAllPass() {
		Leadership leadership = led(1);
		this.fence.raise(leadership);
		try (ClientSession outer = this.mongo.client().startSession();
				TermFence.Passage outerPassage = this.fence.open(leadership)) {
			outer.startTransaction();
			this.accounts.find(outer).first();
			try (ClientSession inner = this.mongo.client().startSession();
					TermFence.Passage innerPassage = this.fence.open(leadership)) {
				inner.startTransaction();
				innerPassage.pass(bound(inner));
				inner.commitTransaction();
			}
			outerPassage.pass(bound(outer));
			outer.commitTransaction();
		}
	}

	/** Separate lanes allow concurrent transactions: on the same lane they conflict. */
	@Test
	void transactionsOnOneLaneConflict() {
		Leadership leadership = led(1);
		this.fence.raise(leadership);
		TermFence.Passage passage = this.fence.open(leadership);
		try (ClientSession one = this.mongo.client().startSession();
				ClientSession other = this.mongo.client().startSession()) {
			one.startTransaction();
			passage.pass(bound(one));
			other.startTransaction();
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> passage.pass(bound(other)))
				.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
					.isTrue());
		}
	}

	@Test
	void freeLanesAreReused() {
		Lanes lanes = new Lanes();
		assertThat(List.of(lanes.take("a"), lanes.take("a"), lanes.take("b"), lanes.take("a"))).containsExactly(0, 1, 0,
				2);
		lanes.giveBack("a", 1);
		assertThat(lanes.take("a")).isEqualTo(1);
	}

	@Test
	void fenceThatWasDroppedIsRaisedAgain() {
		book(led(1));
		this.database.getCollection(TermFence.COLLECTION).drop();
		book(led(1));
		assertThat(balance()).isEqualTo(2);
	}

	@Override
	void book(Leadership leadership) {
		try (ClientSession session = this.mongo.client().startSession()) {
			session.withTransaction(() -> {
				this.fence.pass(session, leadership);
				return this.accounts.updateOne(session, new Document("_id", "a"), INCREMENT);
			});
		}
	}

	@Override
	void bookThoughRaised(Leadership raised, Leadership leadership) {
		try (ClientSession session = this.mongo.client().startSession()) {
			session.startTransaction();
			this.accounts.find(session).first();
			new TermFence(this.database).raise(raised);
			this.fence.pass(session, leadership);
			this.accounts.updateOne(session, new Document("_id", "a"), INCREMENT);
			session.commitTransaction();
		}
	}

	@Override
	void raise(Leadership leadership) {
		this.fence.raise(leadership);
	}

	@Override
	void passWithoutTransaction(Leadership leadership) {
		try (ClientSession session = this.mongo.client().startSession()) {
			this.fence.pass(session, leadership);
		}
	}

	/** Bind a collection to a session, as Spring Data does in a transaction. */
	@SuppressWarnings("unchecked")
	private MongoCollection<Document> bound(ClientSession session) {
		return (MongoCollection<Document>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MongoCollection.class },
				(proxy, method, args) -> this.fences.updateOne(session, (Bson) args[0], (Bson) args[1]));
	}

}
