package io.github.leaderelection.mongodb;

import com.mongodb.MongoCommandException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TermFence}.
 */
class TermFenceTests {

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<Document> accounts = this.database.getCollection("accounts");

	private final TermFence fence = new TermFence(this.database);

	@BeforeEach
	void createAccount() {
		this.accounts.insertOne(new Document("_id", "a").append("balance", 0));
		this.database.createCollection(TermFence.COLLECTION);
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
		try (ClientSession paused = this.client.startSession()) {
			paused.startTransaction();
			this.accounts.find(paused).first(); // its view of the data is from before
			book(new Led(2, true));
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> this.fence.pass(paused, new Led(1, true)))
				.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL))
					.isTrue());
		}
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void newLeaderCannotPassBesideAnOpenTransactionOfItsPredecessor() {
		book(new Led(1, true));
		try (ClientSession former = this.client.startSession(); ClientSession latter = this.client.startSession()) {
			former.startTransaction();
			this.fence.pass(former, new Led(1, true));
			latter.startTransaction();
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> this.fence.pass(latter, new Led(2, true)));
			former.abortTransaction();
		}
		book(new Led(2, true));
		assertThat(balance()).isEqualTo(2);
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
				return this.accounts.updateOne(session, new Document("_id", "a"),
						new Document("$inc", new Document("balance", 1)));
			});
		}
	}

	private int balance() {
		Document account = this.accounts.find().first();
		assertThat(account).isNotNull();
		return account.getInteger("balance");
	}

}
