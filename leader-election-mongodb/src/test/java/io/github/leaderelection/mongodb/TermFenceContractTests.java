package io.github.leaderelection.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.TestTerm;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The contract of a fence, for either of the two drivers.
 */
abstract class TermFenceContractTests {

	static final Bson INCREMENT = new Document("$inc", new Document("balance", 1));

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	final MongoDatabase database = this.mongo.database();

	final MongoCollection<Document> fences = this.database.getCollection(TermFence.COLLECTION);

	/** Write in a transaction of its own. */
	abstract void book(Leadership leadership);

	/**
	 * Write in a transaction that has read before a fence was raised elsewhere, so it
	 * sees the data of that time.
	 */
	abstract void bookThoughRaised(Leadership raised, Leadership leadership);

	abstract void raise(Leadership leadership);

	abstract void passWithoutTransaction(Leadership leadership);

	@BeforeEach
	void createAccount() {
		this.database.getCollection("accounts").insertOne(new Document("_id", "a").append("balance", 0));
	}

	@Test
	void leaderWritesRepeatedly() {
		book(led(1));
		book(led(1));
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void formerLeaderUnawareOfItsLossIsRefused() {
		book(led(2));
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(led(1)));
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void leaderAwareOfItsLossIsRefused() {
		TestTerm lost = new TestTerm("fenced", 1);
		lost.lose();
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(lost.leadership()));
		assertThat(balance()).isZero();
	}

	@Test
	void pausedTransactionOfFormerLeaderCannotCommit() {
		book(led(1));
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> bookThoughRaised(led(2), led(1)));
		assertThat(balance()).isEqualTo(1);
	}

	/** Leadership is not lost, but what it has read may be out of date. */
	@Test
	void transactionThatReadBeforeTheFenceWasRaisedCanBeRetried() {
		assertThatExceptionOfType(MongoException.class).isThrownBy(() -> bookThoughRaised(led(1), led(1)))
			.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue());
		book(led(1));
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void fenceIsRaisedOnceInATerm() {
		raise(led(1));
		assertThat(lanes(1)).isEqualTo(16);
		this.fences.updateMany(new Document(), new Document("$set", new Document("term", 0L)));
		raise(led(1));
		assertThat(lanes(0)).isEqualTo(16);
		raise(led(2));
		assertThat(lanes(2)).isEqualTo(16);
	}

	@Test
	void sessionWithoutTransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> passWithoutTransaction(led(1)))
			.withMessageContaining("Start one first");
	}

	static Leadership led(long term) {
		return new TestTerm("fenced", term).leadership();
	}

	long lanes(long term) {
		return this.fences.countDocuments(new Document("term", term));
	}

	int balance() {
		return this.database.getCollection("accounts").find().first().getInteger("balance");
	}

}
