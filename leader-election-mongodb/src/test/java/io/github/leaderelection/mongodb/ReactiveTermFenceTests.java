package io.github.leaderelection.mongodb;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Function;

import com.mongodb.MongoException;
import com.mongodb.reactivestreams.client.ClientSession;
import com.mongodb.reactivestreams.client.MongoClient;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ReactiveTermFence}. What is stored is what {@link TermFence} stores,
 * and tested there.
 */
class ReactiveTermFenceTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Bson INCREMENT = new Document("$inc", new Document("balance", 1));

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<Document> accounts = this.database.getCollection("accounts");

	private final ReactiveTermFence fence = new ReactiveTermFence(this.database);

	@BeforeEach
	void createAccount() {
		Mono.from(this.accounts.insertOne(new Document("_id", "a").append("balance", 0))).block(LONG);
	}

	@AfterEach
	void dropDatabase() {
		Mono.from(this.database.drop()).block(LONG);
		this.client.close();
	}

	@Test
	void leaderWritesAgainAndAgain() {
		book(new Led(1, true)).block(LONG);
		book(new Led(1, true)).block(LONG);
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	void formerLeaderThatStillBelievesIsRefused() {
		book(new Led(2, true)).block(LONG);
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, true)).block(LONG));
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void leaderThatKnowsItHasLostIsRefused() {
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, false)).block(LONG));
		assertThat(balance()).isZero();
	}

	@Test
	void transactionOfFormerLeaderThatWasPausedCannotCommit() {
		book(new Led(1, true)).block(LONG);
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> inTransaction(
				(session) -> readAndLetRaise(session, new Led(2, true)).then(book(session, new Led(1, true))))
			.block(LONG));
		assertThat(balance()).isEqualTo(1);
	}

	/** Not lost, but what it has read may be out of date. */
	@Test
	void transactionThatReadBeforeTheFenceWasRaisedIsToBeRunAgain() {
		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> inTransaction(
					(session) -> readAndLetRaise(session, new Led(1, true)).then(book(session, new Led(1, true))))
				.block(LONG))
			.satisfies((ex) -> assertThat(ex.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)).isTrue());
		book(new Led(1, true)).block(LONG);
		assertThat(balance()).isEqualTo(1);
	}

	@Test
	void transactionsOfOneLeaderThatAreOpenAtOncePassSideBySide() {
		Led leadership = new Led(1, true);
		this.fence.raise(leadership).block(LONG);
		try (ReactiveTermFence.Passage one = this.fence.open(leadership);
				ReactiveTermFence.Passage other = this.fence.open(leadership)) {
			inTransaction((outer) -> passed(one, outer).then(inTransaction((inner) -> passed(other, inner))))
				.block(LONG);
		}
	}

	@Test
	void nothingIsDoneBeforeItIsSubscribedTo() {
		Mono<Void> raised = this.fence.raise(new Led(1, true));
		assertThat(lanes(1)).isZero();
		raised.block(LONG);
		assertThat(lanes(1)).isEqualTo(16);
	}

	@Test
	void fenceIsRaisedOnceInATerm() {
		this.fence.raise(new Led(1, true)).block(LONG);
		Mono.from(fences().updateMany(new Document(), new Document("$set", new Document("term", 0L)))).block(LONG);
		this.fence.raise(new Led(1, true)).block(LONG);
		assertThat(lanes(0)).isEqualTo(16);
		this.fence.raise(new Led(2, true)).block(LONG);
		assertThat(lanes(2)).isEqualTo(16);
	}

	/** It does not matter by which of them a leader writes. */
	@Test
	void fenceOfTheOtherDriverIsTheSame() {
		book(new Led(1, true)).block(LONG);
		try (com.mongodb.client.MongoClient other = com.mongodb.client.MongoClients.create(SharedMongo.uri())) {
			new TermFence(other.getDatabase(this.database.getName())).raise(new Led(2, true));
		}
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book(new Led(1, true)).block(LONG));
	}

	@Test
	void sessionWithoutTransactionIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(
					() -> Mono
						.usingWhen(this.client.startSession(), (session) -> this.fence.pass(session, new Led(1, true)),
								(session) -> Mono.fromRunnable(session::close))
						.block(LONG))
			.withMessageContaining("start one before passing it");
	}

	private Mono<Void> book(Leadership leadership) {
		return this.fence.raise(leadership).then(inTransaction((session) -> book(session, leadership)));
	}

	private Mono<Void> book(ClientSession session, Leadership leadership) {
		return Mono.from(this.accounts.updateOne(session, new Document("_id", "a"), INCREMENT))
			.then(this.fence.pass(session, leadership));
	}

	/** Its view of the data is from before. */
	private Mono<Void> readAndLetRaise(ClientSession session, Leadership leadership) {
		return Mono.from(this.accounts.find(session).first())
			.then(new ReactiveTermFence(this.database).raise(leadership));
	}

	/** What Spring Data does with a collection in a transaction. */
	@SuppressWarnings("unchecked")
	private Mono<Void> passed(ReactiveTermFence.Passage passage, ClientSession session) {
		return passage.pass((MongoCollection<Document>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MongoCollection.class },
				(proxy, method, args) -> fences().updateOne(session, (Bson) args[0], (Bson) args[1])));
	}

	private <T> Mono<T> inTransaction(Function<ClientSession, Mono<T>> work) {
		return Mono.usingWhen(this.client.startSession(), (session) -> {
			session.startTransaction();
			return work.apply(session);
		}, (session) -> Mono.from(session.commitTransaction()).doFinally((signal) -> session.close()),
				(session, ex) -> Mono.from(session.abortTransaction()).doFinally((signal) -> session.close()),
				(session) -> Mono.from(session.abortTransaction()).doFinally((signal) -> session.close()));
	}

	private MongoCollection<Document> fences() {
		return this.database.getCollection(TermFence.COLLECTION);
	}

	private long lanes(long term) {
		Long count = Mono.from(fences().countDocuments(new Document("term", term))).block(LONG);
		assertThat(count).isNotNull();
		return count;
	}

	private int balance() {
		Document account = Mono.from(this.accounts.find().first()).block(LONG);
		assertThat(account).isNotNull();
		return account.getInteger("balance");
	}

}
