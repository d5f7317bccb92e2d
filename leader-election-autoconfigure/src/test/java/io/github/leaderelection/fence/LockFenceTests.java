package io.github.leaderelection.fence;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockLostException;
import io.github.leaderelection.lock.LockService;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mockito.Mockito;

import org.springframework.data.mongodb.MongoTransactionException;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.query.Update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests that writes under a lock are fenced like writes under a leadership, on a real
 * replica set.
 */
class LockFenceTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@RegisterExtension
	final FreshDatabase database = new FreshDatabase();

	private final SimpleMongoClientDatabaseFactory factory = new SimpleMongoClientDatabaseFactory(
			this.database.client(), this.database.name());

	private final MongoTemplate mongo = new MongoTemplate(this.factory);

	private final LockService first = new LockService(MongoStores.locks(this.factory.getMongoDatabase()));

	private final LockService second = new LockService(MongoStores.locks(this.factory.getMongoDatabase()));

	@AfterEach
	void close() {
		this.first.close();
		this.second.close();
	}

	@Test
	void transactionDoesNotCommitUnderALockThatWasTakenOver() throws InterruptedException {
		LeaderTransactions transactions = transactions();
		HeldLock paused = takeOver((lock) -> insert(transactions, lock));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> insert(transactions, paused));
		assertThat(this.mongo.getCollection("log").countDocuments()).isEqualTo(2);
	}

	@Test
	void lostLockIsRefusedLikeALostLeadership() throws InterruptedException {
		LeaderTransactions transactions = transactions();
		FencedCollection invoices = new FencedCollection(this.mongo, "invoices");
		HeldLock lock = this.first.acquire("815", LONG);
		lock.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> insert(transactions, lock));
		assertThatExceptionOfType(LeadershipLostException.class)
			.isThrownBy(() -> invoices.upsert(lock, "815", new Update().set("by", "late")))
			.withMessageStartingWith("Lock '815'")
			.satisfies((lost) -> assertThat(lost.getTerm()).isEqualTo(lock.term()));
	}

	@Test
	void lockDoesNotFenceAnElectionOfTheSameName() throws InterruptedException {
		LeaderTransactions transactions = transactions();
		takeOver((lock) -> insert(transactions, lock));
		insert(transactions, new TestTerm("815", 1).leadership());
		assertThat(this.mongo.getCollection("log").countDocuments()).isEqualTo(3);
		assertThat(this.mongo.getCollection("leader_election_fences").distinct("_id.lease", String.class))
			.containsExactlyInAnyOrder("815", "lock:815");
	}

	/** Write under a lock and under its successor; return the first, as if paused. */
	private HeldLock takeOver(Consumer<HeldLock> write) throws InterruptedException {
		HeldLock lock = this.first.acquire("815", LONG);
		HeldLock paused = Mockito.spy(lock);
		Mockito.doReturn(true).when(paused).isHeld();
		Mockito.doReturn(false).when(paused).isEnding();
		Mockito.doReturn(Optional.empty()).when(paused).lossReason();
		write.accept(paused);
		lock.close();
		try (HeldLock next = this.second.acquire("815", LONG)) {
			assertThat(next.term()).isGreaterThan(lock.term());
			write.accept(next);
		}
		return paused;
	}

	private LeaderTransactions transactions() {
		this.mongo.createCollection("log");
		MongoTransactionManager manager = new MongoTransactionManager(this.factory);
		return new LeaderTransactions(new TransactionFence(() -> Stream.of(manager)), manager);
	}

	private void insert(LeaderTransactions transactions, Leadership leadership) {
		await().atMost(LONG)
			.ignoreException(MongoTransactionException.class)
			.untilAsserted(() -> transactions.executeWithoutResult(leadership,
					(status) -> this.mongo.insert(new Document("term", leadership.term()), "log")));
	}

}
