package io.github.leaderelection.mongodb;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TermFence}.
 */
class TermFenceTests {

	private static final Bson INCREMENT = new Document("$inc", new Document("balance", 1));

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<Document> accounts = this.database.getCollection("accounts");

	private final TermFence fence = new TermFence(this.database);

	@BeforeEach
	void createAccount() {
		this.accounts.insertOne(new Document("_id", "a").append("balance", 0));
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@Test
	void leaderWritesAgainAndAgain() {
		book(new Led(1, true));
		book(new Led(1, true));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void formerLeaderThatStillBelievesIsRefused() {
		book(new Led(2, true));
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, true)));
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void leaderThatKnowsItHasLostIsRefused() {
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, false)));
		assertThat(balance()).isZero();
	}

	@Test
	void transactionOfFormerLeaderThatWasPausedCannotCommit() {
		book(new Led(1, true));
		try (ClientSession paused = this.client.startSession()) {
			paused.startTransaction();
			this.accounts.find(paused).first(); // its view of the data is from before
			new TermFence(this.database).raise(new Led(2, true));
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> this.fence.pass(paused, new Led(1, true)));
		}
		assertThat(balance()).isEqualTo(1);
	}

	/** Not lost, but what it has read may be out of date. */
	@Test
	void transactionThatReadBeforeTheFenceWasRaisedIsToBeRunAgain() {
		try (ClientSession early = this.client.startSession()) {
			early.startTransaction();
			this.accounts.find(early).first();
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> this.fence.pass(early, new Led(1, true)))
				.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
					.isTrue());
			early.abortTransaction();
			early.startTransaction();
			this.fence.pass(early, new Led(1, true));
			early.commitTransaction();
		}
	}

	@Test
	void newLeaderWaitsForATransactionOfItsPredecessorThatHasPassed() throws Exception {
		book(new Led(1, true));
		try (ClientSession former = this.client.startSession()) {
			former.startTransaction();
			this.fence.pass(former, new Led(1, true));
			this.accounts.updateOne(former, new Document("_id", "a"), INCREMENT);
			CompletableFuture<Void> latter = CompletableFuture
				.runAsync(() -> new TermFence(this.database).raise(new Led(2, true)));
			// Waits already: MongoDB shows its command
			await().until(() -> this.client.getDatabase("admin")
				.aggregate(List.of(new Document("$currentOp", new Document()),
						new Document("$match",
								new Document("ns", this.database.getName() + "." + TermFence.COLLECTION)
									.append("active", true))))
				.first() != null);
			assertThat(latter).isNotDone();
			former.commitTransaction();
			latter.get(60, TimeUnit.SECONDS);
		}
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, true)));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void transactionsOfOneLeaderThatAreOpenAtOncePassSideBySide() {
		Led leadership = new Led(1, true);
		this.fence.raise(leadership);
		try (ClientSession outer = this.client.startSession(); TermFence.Passage outerPassage = open(leadership)) {
			outer.startTransaction();
			this.accounts.find(outer).first();
			try (ClientSession inner = this.client.startSession(); TermFence.Passage innerPassage = open(leadership)) {
				inner.startTransaction();
				innerPassage.pass(bound(inner));
				inner.commitTransaction();
			}
			outerPassage.pass(bound(outer));
			outer.commitTransaction();
		}
	}

	/** The lanes are what lets them: on one and the same there is a conflict. */
	@Test
	void transactionsOnOneLaneAreInConflict() {
		Led leadership = new Led(1, true);
		this.fence.raise(leadership);
		TermFence.Passage passage = open(leadership);
		try (ClientSession one = this.client.startSession(); ClientSession other = this.client.startSession()) {
			one.startTransaction();
			passage.pass(bound(one));
			other.startTransaction();
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> passage.pass(bound(other)))
				.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
					.isTrue());
		}
	}

	@Test
	void lanesAreTakenAgainWhenTheyAreFree() {
		Lanes lanes = new Lanes();
		assertThat(List.of(lanes.take("a"), lanes.take("a"), lanes.take("b"), lanes.take("a"))).containsExactly(0, 1, 0,
				2);
		lanes.giveBack("a", 1);
		assertThat(lanes.take("a")).isEqualTo(1);
	}

	@Test
	void fenceThatWasDroppedIsRaisedAgain() {
		book(new Led(1, true));
		this.database.getCollection(TermFence.COLLECTION).drop();
		book(new Led(1, true));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void fenceIsRaisedOnceInATerm() {
		MongoCollection<Document> lanes = this.database.getCollection(TermFence.COLLECTION);
		this.fence.raise(new Led(1, true));
		assertThat(lanes.countDocuments(new Document("term", 1L))).isEqualTo(16);
		lanes.updateMany(new Document(), new Document("$set", new Document("term", 0L)));
		this.fence.raise(new Led(1, true));
		assertThat(lanes.countDocuments(new Document("term", 0L))).isEqualTo(16);
		this.fence.raise(new Led(2, true));
		assertThat(lanes.countDocuments(new Document("term", 2L))).isEqualTo(16);
	}

	@Test
	void fenceOfAnotherElectionDoesNotMatter() {
		book(new Led("one", 7, true));
		book(new Led("two", 1, true));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void sessionWithoutTransactionIsRefused() {
		try (ClientSession session = this.client.startSession()) {
			assertThatIllegalStateException().isThrownBy(() -> this.fence.pass(session, new Led(1, true)))
				.withMessageContaining("start one before passing it");
		}
	}

	private void book(Leadership leadership) {
		try (ClientSession session = this.client.startSession()) {
			session.withTransaction(() -> {
				this.fence.pass(session, leadership);
				return this.accounts.updateOne(session, new Document("_id", "a"), INCREMENT);
			});
		}
	}

	private TermFence.Passage open(Leadership leadership) {
		return this.fence.open(leadership);
	}

	/** What Spring Data does with a collection in a transaction. */
	@SuppressWarnings("unchecked")
	private MongoCollection<Document> bound(ClientSession session) {
		MongoCollection<Document> fences = this.database.getCollection(TermFence.COLLECTION);
		return (MongoCollection<Document>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MongoCollection.class },
				(proxy, method, args) -> fences.updateOne(session, (Bson) args[0], (Bson) args[1]));
	}

	private int balance() {
		Document account = this.accounts.find().first();
		assertThat(account).isNotNull();
		return account.getInteger("balance");
	}

}
