package io.github.leaderelection.mongodb;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Function;

import com.mongodb.reactivestreams.client.ClientSession;
import com.mongodb.reactivestreams.client.MongoClient;
import com.mongodb.reactivestreams.client.MongoClients;
import com.mongodb.reactivestreams.client.MongoCollection;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReactiveTermFence}.
 */
class ReactiveTermFenceTests extends TermFenceContractTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final MongoClient reactiveClient = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase reactiveDatabase = this.reactiveClient.getDatabase(this.database.getName());

	private final MongoCollection<Document> accounts = this.reactiveDatabase.getCollection("accounts");

	private final ReactiveTermFence fence = new ReactiveTermFence(this.reactiveDatabase);

	@AfterEach
	void closeClient() {
		this.reactiveClient.close();
	}

	@Test
	void concurrentTransactionsOfOneLeaderAllPass() {
		Leadership leadership = led(1);
		this.fence.raise(leadership).block(LONG);
		try (ReactiveTermFence.Passage one = this.fence.open(leadership);
				ReactiveTermFence.Passage other = this.fence.open(leadership)) {
			inTransaction((outer) -> passed(one, outer).then(inTransaction((inner) -> passed(other, inner))))
				.block(LONG);
		}
	}

	@Test
	void nothingHappensBeforeSubscription() {
		Mono<Void> raised = this.fence.raise(led(1));
		assertThat(lanes(1)).isZero();
		raised.block(LONG);
		assertThat(lanes(1)).isEqualTo(16);
	}

	@Override
	void book(Leadership leadership) {
		this.fence.raise(leadership).then(inTransaction((session) -> book(session, leadership))).block(LONG);
	}

	@Override
	void bookThoughRaised(Leadership raised, Leadership leadership) {
		inTransaction((session) -> Mono.from(this.accounts.find(session).first())
			.then(new ReactiveTermFence(this.reactiveDatabase).raise(raised))
			.then(book(session, leadership))).block(LONG);
	}

	@Override
	void raise(Leadership leadership) {
		this.fence.raise(leadership).block(LONG);
	}

	@Override
	void passWithoutTransaction(Leadership leadership) {
		Mono.usingWhen(this.reactiveClient.startSession(), (session) -> this.fence.pass(session, leadership),
				(session) -> Mono.fromRunnable(session::close))
			.block(LONG);
	}

	private Mono<Void> book(ClientSession session, Leadership leadership) {
		return Mono.from(this.accounts.updateOne(session, new Document("_id", "a"), INCREMENT))
			.then(this.fence.pass(session, leadership));
	}

	/** Bind a collection to a session, as Spring Data does in a transaction. */
	@SuppressWarnings("unchecked")
	private Mono<Void> passed(ReactiveTermFence.Passage passage, ClientSession session) {
		return passage.pass((MongoCollection<Document>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { MongoCollection.class },
				(proxy, method, args) -> this.reactiveDatabase.getCollection(TermFence.COLLECTION)
					.updateOne(session, (Bson) args[0], (Bson) args[1])));
	}

	private <T> Mono<T> inTransaction(Function<ClientSession, Mono<T>> work) {
		return Mono.usingWhen(this.reactiveClient.startSession(), (session) -> {
			session.startTransaction();
			return work.apply(session);
		}, (session) -> Mono.from(session.commitTransaction()).doFinally((signal) -> session.close()),
				(session, ex) -> Mono.from(session.abortTransaction()).doFinally((signal) -> session.close()),
				(session) -> Mono.from(session.abortTransaction()).doFinally((signal) -> session.close()));
	}

}
