package io.github.leaderelection.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.TermFence;
import io.github.leaderelection.spring.TestGate;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoExceptionTranslator;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.integration.transaction.PseudoTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for fenced transactions, on a real replica set. The gate believes in the term
 * that the test gives it, while the test raises the fence for later leaders.
 */
@ExtendWith(OutputCaptureExtension.class)
class FencedTransactionTests {

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoAutoConfiguration.class,
				DataMongoAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withBean(TestGate.class)
		.withUserConfiguration(Transactions.class)
		.withBean(MongoBooks.class)
		.withBean(Ledger.class);

	@BeforeEach
	void createAccount() {
		this.database.createCollection("log");
		this.database.getCollection("accounts").insertOne(new Document("_id", "a").append("balance", 0));
	}

	@ParameterizedTest
	@EnumSource
	void leaderWrites(Nesting nesting, CapturedOutput output) {
		run((context) -> {
			retrying(() -> nesting.call(context, NOTHING));
			nesting.call(context, NOTHING);
			assertThat(balance()).isEqualTo(2);
			assertThat(passes("books")).isGreaterThanOrEqualTo(2);
			assertThat(output).doesNotContain("fenced = true had no effect");
		}, nesting);
	}

	/** Deposed in the middle, and before the next call. */
	@ParameterizedTest
	@EnumSource
	void deposedLeaderDoesNotCommit(Nesting nesting) {
		run((context) -> {
			retrying(() -> nesting.call(context, NOTHING));
			for (Runnable deposed : List.<Runnable>of(() -> raise("books", 2), NOTHING)) {
				assertThatExceptionOfType(LeadershipLostException.class)
					.isThrownBy(() -> nesting.call(context, deposed));
				assertThat(balance()).isEqualTo(1);
				assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			}
		}, nesting);
	}

	@ParameterizedTest
	@EnumSource
	void leaderDeposedDuringTheTransactionDoesNotCommit(Nesting nesting) {
		run((context) -> {
			retrying(() -> nesting.call(context, NOTHING));
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> nesting.call(context, () -> loseUninterrupted(context.getBean(TestGate.class))));
			assertThat(balance()).isEqualTo(1);
		}, nesting);
	}

	@Test
	void newTransactionInsideAnotherPassesTheFence() {
		run((context) -> {
			MongoBooks books = context.getBean(MongoBooks.class);
			context.getBean(Ledger.class).book(() -> IntStream.range(0, 20).forEach((i) -> books.log("entry " + i)));
			assertThat(balance()).isEqualTo(1);
			assertThat(this.database.getCollection("log").countDocuments()).isEqualTo(20);
			assertThat(passes("books")).isEqualTo(21);
		});
	}

	@Test
	void newTransactionInsideAnotherIsRefusedSeparately() {
		run((context) -> {
			MongoBooks books = context.getBean(MongoBooks.class);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> context.getBean(Ledger.class).book(() -> {
					books.log("before");
					raise("books", 2);
					assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> books.log("after"));
				}));
			assertThat(balance()).isZero();
			assertThat(this.database.getCollection("log").find()).singleElement()
				.satisfies((entry) -> assertThat(entry).containsEntry("text", "before"));
		});
	}

	/** As a listener of transactional events may write. */
	@Test
	void writeJustBeforeTheCommitIsFenced() {
		run((context) -> {
			Books books = context.getBean(Books.class);
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> context.getBean(Ledger.class)
				.book(() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						books.increment();
						raise("books", 2);
					}

				})));
			assertThat(balance()).isZero();
		});
	}

	@Test
	void transactionPassesTheFenceOfEachElectionAroundIt() {
		run((context) -> {
			context.getBean(TestGate.class).lead("audit", 5);
			Ledger ledger = context.getBean(Ledger.class);
			ledger.audit(() -> ledger.book(NOTHING));
			assertThat(passes("books")).isEqualTo(1);
			assertThat(passes("audit")).isEqualTo(1);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> ledger.audit(() -> ledger.book(() -> raise("audit", 6))))
				.satisfies((ex) -> assertThat(ex.getElection()).isEqualTo("audit"));
			assertThat(balance()).isEqualTo(1);
		});
	}

	@Test
	void transactionAfterTheCallIsNotFenced() {
		run((context) -> {
			context.getBean(Ledger.class).book(NOTHING);
			raise("books", 2);
			context.getBean(Books.class).book(NOTHING);
			assertThat(balance()).isEqualTo(2);
			assertThat(passes("books")).isEqualTo(1);
		});
	}

	@Test
	void otherConflictIsTranslatedBySpring() {
		run((context) -> {
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> context.getBean(Ledger.class)
					.book(() -> this.database.getCollection("accounts").updateOne(new Document(), INCREMENT)))
				.satisfies((ex) -> assertThat(new MongoExceptionTranslator().isTransientFailure(ex)).isTrue());
			assertThat(balance()).isEqualTo(1);
		});
	}

	/** Around a change of term, when the data that it has read may be out of date. */
	@Test
	void transactionBegunBeforeTheFenceWasRaisedCanBeRetried() {
		run((context) -> {
			AtomicInteger attempts = new AtomicInteger();
			retrying(() -> {
				attempts.incrementAndGet();
				context.getBean(Books.class).bookAround(context.getBean(Ledger.class));
			});
			assertThat(attempts).hasValue(2);
			assertThat(balance()).isEqualTo(1);
		});
	}

	@Test
	void managerOfAnotherDatabaseIsRefused() {
		run((context) -> assertThatExceptionOfType(UnusableFenceException.class)
			.isThrownBy(
					() -> new LeaderTransactions(context.getBean(LeaderFence.class), new PseudoTransactionManager()))
			.withMessageContaining("PseudoTransactionManager"));
	}

	/** Changes in MongoDB are committed after the transaction that they take part in. */
	@Test
	void transactionInsideATransactionOfAnotherManager() {
		run((context) -> {
			LeaderTransactions transactions = context.getBean(LeaderTransactions.class);
			Leadership leadership = new TestTerm("books", 1).leadership();
			MongoBooks books = new MongoBooks(context.getBean(MongoTemplate.class));
			books.mongo.setSessionSynchronization(SessionSynchronization.ALWAYS);
			Consumer<Runnable> book = (inTheMiddle) -> new TransactionTemplate(new PseudoTransactionManager())
				.executeWithoutResult((outer) -> {
					books.log("joined");
					transactions.executeWithoutResult(leadership, (status) -> books.increment());
					inTheMiddle.run();
				});
			retrying(() -> book.accept(NOTHING));
			book.accept(NOTHING);
			assertThat(balance()).isEqualTo(2);
			assertThat(passes("books")).isEqualTo(2);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> book.accept(() -> raise("books", 2)));
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> book.accept(NOTHING));
			assertThat(balance()).isEqualTo(2);
		});
	}

	@Test
	void workAfterACommitOnTheSameThreadIsRefused() {
		run((context) -> {
			context.getBean(TestGate.class).lead("books", 1);
			assertThat(AfterCommit.failuresOf(context.getBean(MongoTransactionManager.class),
					() -> context.getBean(Ledger.class).book(NOTHING)))
				.hasSize(2)
				.hasOnlyElementsOfType(UnusableFenceException.class);
			assertThat(balance()).isZero();
		});
	}

	@Test
	void transactionWithoutSynchronizationIsRefused() {
		run((context) -> {
			MongoTransactionManager other = new MongoTransactionManager(context.getBean(MongoDatabaseFactory.class));
			other.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			LeaderTransactions transactions = context.getBean(LeaderTransactions.class);
			assertThatExceptionOfType(UnusableFenceException.class)
				.isThrownBy(() -> new TransactionTemplate(other).executeWithoutResult(
						(outer) -> transactions.executeWithoutResult(new TestTerm("books", 1).leadership(),
								(status) -> context.getBean(Books.class).increment())))
				.withMessageContaining("the transaction of this thread has ended");
			assertThat(balance()).isZero();
		});
	}

	/** As with a database for each tenant. */
	@Test
	void factoryThatChoosesTheDatabase() {
		List<String> databases = List.of(this.database.getName(), SharedMongo.uniqueDatabase());
		AtomicInteger tenant = new AtomicInteger();
		MongoDatabaseFactory factory = new SimpleMongoClientDatabaseFactory(this.mongo.client(),
				this.database.getName()) {

			@Override
			public MongoDatabase getMongoDatabase() {
				return getMongoDatabase(databases.get(tenant.get()));
			}

		};
		MongoTransactionManager manager = new MongoTransactionManager(factory);
		TransactionFence fence = new TransactionFence(() -> Stream.of(manager));
		fence.requireUsable();
		LeaderTransactions transactions = new LeaderTransactions(fence, manager);
		MongoTemplate mongo = new MongoTemplate(factory);
		Leadership leadership = new TestTerm("books", 1).leadership();
		try {
			for (int i = 0; i < databases.size(); i++) {
				tenant.set(i);
				transactions.executeWithoutResult(leadership, (status) -> mongo.insert(new Document(), "days"));
				MongoDatabase database = mongo.getDb();
				new TermFence(database).raise(new TestTerm("books", 2).leadership());
				assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> transactions
					.executeWithoutResult(leadership, (status) -> mongo.insert(new Document(), "days")));
				assertThat(database.getCollection("days").countDocuments()).isOne();
			}
		}
		finally {
			this.mongo.client().getDatabase(databases.get(1)).drop();
		}
	}

	/** Otherwise leaders would end up on lanes that conflict. */
	@Test
	void laneIsReturnedAfterEveryOutcome() {
		run((context) -> {
			Ledger ledger = context.getBean(Ledger.class);
			ledger.book(NOTHING);
			assertThatIllegalStateException().isThrownBy(() -> ledger.book(() -> {
				throw new IllegalStateException("made on purpose");
			}));
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> ledger.book(() -> raise("books", 2)));
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> ledger.book(NOTHING));
			TestTerm later = new TestTerm("books", 3);
			TransactionTemplate reading = new TransactionTemplate(context.getBean(MongoTransactionManager.class));
			reading.setReadOnly(true);
			try (LeaderFence.Scope scope = context.getBean(LeaderFence.class).open(later.leadership())) {
				assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(() -> reading
					.executeWithoutResult((outer) -> reading.executeWithoutResult((inner) -> inner.setRollbackOnly())));
				reading.executeWithoutResult((status) -> context.getBean(Books.class).increment());
			}
			assertThat(passes("books")).isEqualTo(2);
			assertThat(this.database.getCollection(TermFence.COLLECTION)
				.countDocuments(new Document("_id.lane", 0).append("passes", 2L))).isOne();
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		});
	}

	@Test
	void rolledBackTransactionDoesNotPassTheFence() {
		run((context) -> {
			Leadership leadership = new TestTerm("books", 1).leadership();
			context.getBean(LeaderTransactions.class).executeWithoutResult(leadership, (status) -> {
				context.getBean(Books.class).increment();
				raise("books", 2);
				status.setRollbackOnly();
			});
			assertThat(balance()).isZero();
		});
	}

	/** In MongoDB it would be open for a minute, and others conflict with it. */
	@ParameterizedTest
	@EnumSource
	void transactionOfAnInterruptedLeaderIsEnded(Interrupted interrupted) {
		run((context) -> {
			MongoTransactionManager manager = context.getBean(MongoTransactionManager.class);
			Ledger ledger = context.getBean(Ledger.class);
			retrying(() -> ledger.book(NOTHING));
			Runnable lose = () -> context.getBean(TestGate.class).lose("books");
			List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
			listeners.add(new Interrupter(interrupted, lose));
			manager.setTransactionExecutionListeners(listeners);
			Runnable book = () -> ledger.book(() -> {
				context.getBean(Books.class).increment();
				if (interrupted == Interrupted.IN_THE_MIDDLE) {
					lose.run();
				}
				if (interrupted == Interrupted.BEFORE_ROLLBACK) {
					throw new IllegalStateException("made on purpose");
				}
			});
			if (interrupted == Interrupted.BEFORE_COMMIT) {
				book.run();
			}
			else {
				assertThatException().isThrownBy(book::run);
			}
			requireNoConflict();
			raise("books", 2);
			assertThat(balance()).isEqualTo((interrupted == Interrupted.BEFORE_COMMIT) ? 3 : 1);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void transactionOfAnInterruptedLeaderIsEndedWithoutAFence() {
		run((context) -> {
			TestGate gate = context.getBean(TestGate.class);
			Books books = context.getBean(Books.class);
			try (GatedCall call = gate.enter("books", true)) {
				assertThatException().isThrownBy(() -> books.book(() -> {
					books.increment();
					gate.lose("books");
				}));
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}
			requireNoConflict();
			assertThat(balance()).isZero();
		});
	}

	/** For listeners that work on after the commit. */
	@Test
	void interruptIsDeliveredAfterTheCommit() {
		run((context) -> {
			List<String> interrupted = new ArrayList<>();
			TestGate gate = context.getBean(TestGate.class);
			try (GatedCall call = gate.enter("books", true)) {
				context.getBean(Books.class)
					.book(() -> TransactionSynchronizationManager
						.registerSynchronization(new TransactionSynchronization() {

							@Override
							public void beforeCompletion() {
								gate.lose("books");
								interrupted.add("before: " + Thread.currentThread().isInterrupted());
							}

							@Override
							public void afterCommit() {
								interrupted.add("after: " + Thread.currentThread().isInterrupted());
							}

						}));
			}
			assertThat(interrupted).containsExactly("before: false", "after: true");
			assertThat(balance()).isEqualTo(1);
		});
	}

	/** The inner one ends between the beginning of the rollback and the rollback. */
	@Test
	void transactionInsideARollbackDoesNotLetTheInterruptThrough() {
		run((context) -> {
			MongoBooks books = context.getBean(MongoBooks.class);
			TestGate gate = context.getBean(TestGate.class);
			try (GatedCall call = gate.enter("books", true)) {
				assertThatIllegalStateException().isThrownBy(() -> books.book(() -> {
					books.increment();
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCompletion() {
							books.log("rolled back");
						}

					});
					gate.lose("books");
					throw new IllegalStateException("made on purpose");
				}));
			}
			requireNoConflict();
			assertThat(this.database.getCollection("log").countDocuments()).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void transactionInsideATransactionOfAnotherManagerIsEndedWhenInterrupted(boolean commits) {
		run((context) -> {
			TestGate gate = context.getBean(TestGate.class);
			MongoBooks books = new MongoBooks(context.getBean(MongoTemplate.class));
			books.mongo.setSessionSynchronization(SessionSynchronization.ALWAYS);
			PseudoTransactionManager other = new PseudoTransactionManager();
			other.setTransactionExecutionListeners(List.of(new Interrupter(Interrupted.BEFORE_COMMIT, () -> {
				if (commits) {
					gate.lose("books");
				}
			})));
			TransactionTemplate outer = new TransactionTemplate(other);
			retrying(() -> context.getBean(Ledger.class).book(NOTHING));
			try (GatedCall call = gate.enter("books", true)) {
				outer.executeWithoutResult((status) -> {
					books.read();
					context.getBean(LeaderTransactions.class)
						.executeWithoutResult(call.leadership(), (inner) -> books.increment());
					if (!commits) {
						gate.lose("books");
						status.setRollbackOnly();
					}
				});
			}
			requireNoConflict();
			assertThat(balance()).isEqualTo(commits ? 2 : 1);
		});
	}

	@Test
	void callWithoutTransactionIsReportedOnceUnlessItFails(CapturedOutput output) {
		run((context) -> {
			Ledger ledger = context.getBean(Ledger.class);
			assertThatIllegalStateException().isThrownBy(() -> ledger.call(() -> {
				throw new IllegalStateException("made on purpose");
			}));
			assertThat(output).doesNotContain("fenced = true had no effect");
			ledger.call(NOTHING);
			ledger.call(NOTHING);
			assertThat(output).containsOnlyOnce("Ledger.call: fenced = true had no effect");
		});
	}

	@Test
	void callWithoutTransactionIsNotReportedAfterOneWithTransaction(CapturedOutput output) {
		run((context) -> {
			Ledger ledger = context.getBean(Ledger.class);
			ledger.call(() -> context.getBean(Books.class).book(NOTHING));
			ledger.call(NOTHING);
			assertThat(output).doesNotContain("fenced = true had no effect");
		});
	}

	private static final Runnable NOTHING = () -> {
	};

	private static final Document INCREMENT = new Document("$inc", new Document("balance", 1));

	private void run(Consumer<ApplicationContext> test) {
		run(test, Nesting.GATE_AROUND_TRANSACTION);
	}

	private void run(Consumer<ApplicationContext> test, Nesting nesting) {
		this.runner.withPropertyValues("leader-election.gate.order=" + nesting.gateOrder()).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(TestGate.class).lead("books", 1);
			test.accept(context);
		});
	}

	/** Retry, as Spring's users do when the database asks for it. */
	private static void retrying(Runnable work) {
		RetryPolicy policy = RetryPolicy.builder()
			.maxRetries(3)
			.delay(Duration.ZERO)
			.predicate((ex) -> ex instanceof DataAccessException failure
					&& new MongoExceptionTranslator().isTransientFailure(failure))
			.build();
		new RetryTemplate(policy).invoke(work);
	}

	private static void loseUninterrupted(TestGate gate) {
		gate.lose("books");
		boolean unused = Thread.interrupted();
	}

	/** Write what the leader wrote: it fails if its transaction is still open. */
	private void requireNoConflict() {
		try (ClientSession session = this.mongo.client().startSession()) {
			session.startTransaction();
			this.database.getCollection("accounts").updateOne(session, new Document(), INCREMENT);
		}
	}

	/** Raise the fence, as a later leader does in another process. */
	private void raise(String election, long term) {
		new TermFence(this.database).raise(new TestTerm(election, term).leadership());
	}

	private int balance() {
		return this.database.getCollection("accounts").find().first().getInteger("balance");
	}

	private long passes(String election) {
		return this.database.getCollection(TermFence.COLLECTION)
			.find(new Document("_id.lease", election))
			.map((lane) -> lane.get("passes", 0L))
			.into(new ArrayList<>())
			.stream()
			.mapToLong(Long::longValue)
			.sum();
	}

	/** Not last, so the gate can be placed inside. */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	@Import(FencedStartTests.Transactions.class)
	static class Transactions {

	}

	enum Interrupted {

		IN_THE_MIDDLE, BEFORE_ROLLBACK, BEFORE_COMMIT

	}

	/** Loses the leadership when the fence has done its part. */
	private record Interrupter(Interrupted interrupted, Runnable lose) implements TransactionExecutionListener {

		@Override
		public void beforeRollback(TransactionExecution transaction) {
			if (this.interrupted == Interrupted.BEFORE_ROLLBACK) {
				this.lose.run();
			}
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			if (this.interrupted == Interrupted.BEFORE_COMMIT) {
				this.lose.run();
			}
		}

	}

	static class MongoBooks extends Books {

		private final MongoTemplate mongo;

		MongoBooks(MongoTemplate mongo) {
			this.mongo = mongo;
		}

		@Override
		void read() {
			this.mongo.findAll(Document.class, "accounts");
		}

		@Override
		void increment() {
			this.mongo.updateFirst(Query.query(Criteria.where("_id").is("a")), new Update().inc("balance", 1),
					"accounts");
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void log(String text) {
			this.mongo.insert(new Document("text", text), "log");
		}

	}

}
