package io.github.leaderelection.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.TransportSettings;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.TermFence;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoReactiveAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.ReactiveMongoDatabaseFactory;
import org.springframework.data.mongodb.ReactiveMongoTransactionManager;
import org.springframework.data.mongodb.core.MongoExceptionTranslator;
import org.springframework.data.mongodb.core.ReactiveMongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for reactive transactions that are fenced, on a real replica set. The gate
 * believes in the term that the test gives it; later leaders raise the fence beside it,
 * with the other driver.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReactiveFencedTransactionTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Runnable NOTHING = () -> {
	};

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final ApplicationContextRunner withoutManager = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoReactiveAutoConfiguration.class,
				DataMongoReactiveAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri(),
				"spring.mongodb.database=" + this.database.getName())
		.withUserConfiguration(SharedThreads.class)
		.withBean(TermGate.class)
		.withBean(Books.class)
		.withBean(Ledger.class);

	private final ApplicationContextRunner runner = this.withoutManager.withUserConfiguration(Transactions.class);

	@BeforeEach
	void createAccount() {
		this.database.createCollection("log");
		this.database.getCollection("accounts").insertOne(new Document("_id", "a").append("balance", 0));
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@ParameterizedTest
	@EnumSource
	void leaderWrites(Nesting nesting) {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			nesting.callRetrying(context);
			nesting.call(context, NOTHING).block(LONG);
			assertThat(balance()).isEqualTo(2);
			assertThat(passes("books")).isGreaterThanOrEqualTo(2);
		}, nesting);
	}

	@ParameterizedTest
	@EnumSource
	void leaderThatWasDeposedBeforeIsRefused(Nesting nesting) {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			nesting.callRetrying(context);
			raise("books", 2);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> nesting.call(context, NOTHING).block(LONG));
			assertThat(balance()).isEqualTo(1);
		}, nesting);
	}

	@ParameterizedTest
	@EnumSource
	void leaderThatIsDeposedInTheMiddleDoesNotCommit(Nesting nesting) {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			nesting.callRetrying(context);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> nesting.call(context, () -> raise("books", 2)).block(LONG));
			assertThat(balance()).isEqualTo(1);
			assertNothingIsOpen(context);
		}, nesting);
	}

	@ParameterizedTest
	@EnumSource
	void leaderThatFindsOutInTheMiddleDoesNotCommit(Nesting nesting) {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			gate.lead("books", 1);
			nesting.callRetrying(context);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> nesting.call(context, () -> gate.lose("books")).block(LONG));
			assertThat(balance()).isEqualTo(1);
			assertNothingIsOpen(context);
		}, nesting);
	}

	/** What is under way could be done after the rollback, outside of the transaction. */
	@ParameterizedTest
	@EnumSource
	void transactionIsNotCancelled(Nesting nesting) {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			gate.lead("books", 1);
			nesting.callRetrying(context);
			Sinks.Empty<Void> goOn = Sinks.empty();
			AtomicBoolean cancelled = new AtomicBoolean();
			context.getBean(Books.class).pauseIn(goOn.asMono().doOnCancel(() -> cancelled.set(true)));
			CompletableFuture<Void> result = nesting.call(context, NOTHING).toFuture();
			await().atMost(LONG).until(() -> goOn.currentSubscriberCount() == 1);
			gate.lose("books");
			gate.awaitTold("books");
			goOn.tryEmitEmpty().orThrow();
			assertThat(result).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LeadershipLostException.class);
			assertThat(cancelled).isFalse();
			assertThat(balance()).isEqualTo(1);
			assertNothingIsOpen(context);
		}, nesting);
	}

	@Test
	void subscriptionIsCancelledBetweenTransactions() {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			gate.lead("books", 1);
			Sinks.Many<Runnable> bookings = Sinks.many().unicast().onBackpressureBuffer();
			CompletableFuture<Void> result = context.getBean(Ledger.class).bookEach(bookings.asFlux()).toFuture();
			bookings.tryEmitNext(NOTHING).orThrow();
			await().atMost(LONG).until(() -> balance() == 1);
			assertThat(result).isNotDone();
			gate.lose("books");
			assertThat(result).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LeadershipLostException.class);
			assertThat(bookings.currentSubscriberCount()).isZero();
		});
	}

	@Test
	void subscriptionIsCancelledAfterATransactionThatWasInProgress() {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			gate.lead("books", 1);
			Sinks.Many<Runnable> bookings = Sinks.many().unicast().onBackpressureBuffer();
			CompletableFuture<Void> result = context.getBean(Ledger.class).bookEach(bookings.asFlux()).toFuture();
			bookings.tryEmitNext(() -> gate.lose("books")).orThrow();
			assertThat(result).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LeadershipLostException.class);
			assertThat(bookings.currentSubscriberCount()).isZero();
			assertThat(balance()).isZero();
		});
	}

	/** The damage that the tests above would see. */
	@Test
	void withoutAFenceTheFormerLeaderCommits() {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			context.getBean(Ledger.class).bookUnfenced(() -> raise("books", 2)).block(LONG);
			assertThat(balance()).isEqualTo(1);
		});
	}

	@Test
	void manyResults() {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			Ledger ledger = context.getBean(Ledger.class);
			assertThat(ledger.log(20, NOTHING).collectList().block(LONG)).hasSize(20);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> ledger.log(20, () -> raise("books", 2)).collectList().block(LONG));
			assertThat(this.database.getCollection("log").countDocuments()).isEqualTo(20);
		});
	}

	@Test
	void eachElectionAroundATransactionHasItsFencePassed() {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			gate.lead("books", 1);
			gate.lead("audit", 5);
			Ledger ledger = context.getBean(Ledger.class);
			ledger.audit(ledger.book(NOTHING)).block(LONG);
			assertThat(passes("books")).isEqualTo(1);
			assertThat(passes("audit")).isEqualTo(1);
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> ledger.audit(ledger.book(() -> raise("audit", 6))).block(LONG))
				.satisfies((ex) -> assertThat(ex.getElection()).isEqualTo("audit"));
			assertThat(balance()).isEqualTo(1);
		});
	}

	@Test
	void transactionAfterTheCallIsNotFenced() {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			context.getBean(Ledger.class)
				.book(NOTHING)
				.then(Mono.fromRunnable(() -> raise("books", 2)))
				.then(context.getBean(Books.class).book(NOTHING))
				.block(LONG);
			assertThat(balance()).isEqualTo(2);
			assertThat(passes("books")).isEqualTo(1);
		});
	}

	@Test
	void transactionsOfOneLeaderCommitSideBySide() {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			Ledger ledger = context.getBean(Ledger.class);
			Flux.range(0, 8).flatMap((i) -> ledger.log(1, NOTHING), 8).blockLast(LONG);
			assertThat(this.database.getCollection("log").countDocuments()).isEqualTo(8);
		});
	}

	/** Else leaders would end up on lanes that are in conflict. */
	@Test
	void laneIsGivenBackHoweverATransactionEnds() {
		run((context) -> {
			TermGate gate = context.getBean(TermGate.class);
			Ledger ledger = context.getBean(Ledger.class);
			gate.lead("books", 1);
			ledger.book(NOTHING).block(LONG);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> ledger.book(() -> {
				throw new IllegalStateException("made on purpose");
			}).block(LONG)).withMessage("made on purpose");
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> ledger.book(() -> raise("books", 2)).block(LONG));
			gate.lead("books", 3);
			ledger.book(NOTHING).block(LONG);
			assertThat(this.database.getCollection(TermFence.COLLECTION)
				.countDocuments(new Document("_id.lane", 0).append("passes", 2L))).isOne();
		});
	}

	@Test
	void codeWithoutAnnotations() {
		run((context) -> {
			Leadership leadership = new TestTerm("books", 1).leadership();
			ReactiveLeaderTransactions transactions = context.getBean(ReactiveLeaderTransactions.class);
			Books books = context.getBean(Books.class);
			transactions.transactional(leadership, books.increment()).block(LONG);
			transactions.transactional(leadership, books.log(3, NOTHING)).blockLast(LONG);
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> transactions
				.transactional(leadership, books.increment().doOnSuccess((done) -> raise("books", 2)))
				.block(LONG));
			assertThat(balance()).isEqualTo(1);
			assertThat(this.database.getCollection("log").countDocuments()).isEqualTo(3);
		});
	}

	@Test
	void subscriptionThatMakesNoTransactionIsToldOfOnce(CapturedOutput output) {
		run((context) -> {
			context.getBean(TermGate.class).lead("books", 1);
			Ledger ledger = context.getBean(Ledger.class);
			ledger.book(NOTHING).block(LONG);
			ledger.call(Mono.empty()).block(LONG);
			ledger.call(Mono.empty()).block(LONG);
			assertThat(output).containsOnlyOnce("Ledger.call: fenced = true had no effect")
				.doesNotContain("Ledger.book: fenced");
		});
	}

	@Test
	void managerThatCannotBeFencedFailsTheStart() {
		this.withoutManager.withUserConfiguration(PlainTransactions.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("it can't be fenced: transactions of a %s offer no place to do it"
					.formatted(ReactiveMongoTransactionManager.class.getName()))
				.hasMessageContaining("Use a FencedReactiveMongoTransactionManager"));
	}

	@Test
	void noManagerFailsTheStart() {
		this.withoutManager.run((context) -> assertThat(context).getFailure()
			.hasMessageContaining("it can't be fenced: there is no reactive transaction manager for MongoDB"));
	}

	@Test
	void standaloneServerFailsTheStart() {
		try (MongoStandalone standalone = MongoStandalone.start()) {
			this.runner.withPropertyValues("spring.mongodb.uri=" + standalone.uri())
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("it can't be fenced: MongoDB is a standalone server"));
		}
	}

	/** Nobody leads then, and what is written later meets the fence. */
	@Test
	void serverThatIsDownDoesNot() {
		this.runner.withPropertyValues("spring.mongodb.uri=mongodb://127.0.0.1:1")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private void run(Consumer<ApplicationContext> test) {
		run(test, Nesting.GATE_AROUND_TRANSACTION);
	}

	private void run(Consumer<ApplicationContext> test, Nesting nesting) {
		this.runner.withPropertyValues("leader-election.gate.order=" + nesting.gateOrder).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context);
		});
	}

	/** Else it would be in conflict. */
	private void assertNothingIsOpen(ApplicationContext context) {
		context.getBean(Books.class).increment().block(LONG);
		assertThat(balance()).isEqualTo(2);
	}

	/** What a later leader does in another process. */
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

	/** Who is around whom. */
	enum Nesting {

		GATE_AROUND_TRANSACTION(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				return context.getBean(Ledger.class).book(inTheMiddle);
			}

		},

		TRANSACTION_AROUND_GATE(Integer.MAX_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				return context.getBean(Ledger.class).book(inTheMiddle);
			}

		},

		GATED_CALLER(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				return context.getBean(Ledger.class).call(context.getBean(Books.class).book(inTheMiddle));
			}

		},

		TRANSACTIONAL_CALLER(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				return context.getBean(Books.class).call(context.getBean(Ledger.class).book(inTheMiddle));
			}

		},

		NEW_TRANSACTION_IN_GATED_CALL_IN_TRANSACTION(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				Books books = context.getBean(Books.class);
				return books.call(context.getBean(Ledger.class).call(books.bookSeparately(inTheMiddle)));
			}

		},

		GATE_AROUND_FENCED_CALL(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				Ledger ledger = context.getBean(Ledger.class);
				return ledger.callUnfenced(ledger.book(inTheMiddle));
			}

		},

		GATE_IN_FENCED_TRANSACTION(Integer.MIN_VALUE) {

			@Override
			Mono<Void> call(ApplicationContext context, Runnable inTheMiddle) {
				Ledger ledger = context.getBean(Ledger.class);
				return ledger.call(context.getBean(Books.class)
					.call(ledger.callUnfenced(context.getBean(Books.class).increment(inTheMiddle))));
			}

		};

		private final int gateOrder;

		Nesting(int gateOrder) {
			this.gateOrder = gateOrder;
		}

		abstract Mono<Void> call(ApplicationContext context, Runnable inTheMiddle);

		/** As users do, when the database asks for it. */
		void callRetrying(ApplicationContext context) {
			call(context, NOTHING)
				.retryWhen(Retry.max(3)
					.filter((ex) -> ex instanceof DataAccessException failure
							&& new MongoExceptionTranslator().isTransientFailure(failure)))
				.block(LONG);
		}

	}

	/** Not last, so that the gate can be put inside. */
	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	static class Transactions {

		@Bean
		FencedReactiveMongoTransactionManager transactionManager(ReactiveMongoDatabaseFactory factory) {
			return new FencedReactiveMongoTransactionManager(factory);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class PlainTransactions {

		@Bean
		ReactiveMongoTransactionManager transactionManager(ReactiveMongoDatabaseFactory factory) {
			return new ReactiveMongoTransactionManager(factory);
		}

	}

	static class Ledger {

		private final Books books;

		Ledger(Books books) {
			this.books = books;
		}

		@LeaderOnly(value = "books", fenced = true)
		@Transactional
		public Mono<Void> book(Runnable inTheMiddle) {
			return this.books.increment(inTheMiddle);
		}

		@LeaderOnly("books")
		@Transactional
		public Mono<Void> bookUnfenced(Runnable inTheMiddle) {
			return this.books.increment(inTheMiddle);
		}

		@LeaderOnly(value = "books", fenced = true)
		@Transactional
		public Flux<Document> log(int entries, Runnable inTheMiddle) {
			return this.books.log(entries, inTheMiddle);
		}

		@LeaderOnly(value = "books", fenced = true)
		public Mono<Void> call(Mono<Void> work) {
			return work;
		}

		@LeaderOnly("books")
		public Mono<Void> callUnfenced(Mono<Void> work) {
			return work;
		}

		/** Goes on when one of them fails. */
		@LeaderOnly(value = "books", fenced = true)
		public Mono<Void> bookEach(Flux<Runnable> bookings) {
			return bookings.concatMap((booking) -> this.books.book(booking).onErrorComplete()).then();
		}

		@LeaderOnly(value = "audit", fenced = true)
		public Mono<Void> audit(Mono<Void> work) {
			return work;
		}

	}

	static class Books {

		private final ReactiveMongoTemplate mongo;

		private Mono<Void> pause = Mono.empty();

		Books(ReactiveMongoTemplate mongo) {
			this.mongo = mongo;
		}

		public void pauseIn(Mono<Void> pause) {
			this.pause = pause;
		}

		Mono<Void> increment() {
			return this.mongo
				.updateFirst(Query.query(Criteria.where("_id").is("a")), new Update().inc("balance", 1), "accounts")
				.then();
		}

		public Mono<Void> increment(Runnable inTheMiddle) {
			return this.mongo.findAll(Document.class, "accounts")
				.then(Mono.fromRunnable(inTheMiddle))
				.then(Mono.defer(() -> this.pause))
				.then(Mono.defer(this::increment));
		}

		Flux<Document> log(int entries, Runnable inTheMiddle) {
			return Flux.fromStream(() -> IntStream.range(0, entries).mapToObj((i) -> new Document("entry", i)))
				.concatMap((entry) -> this.mongo.insert(entry, "log"))
				.doOnComplete(inTheMiddle);
		}

		@Transactional
		public Mono<Void> book(Runnable inTheMiddle) {
			return increment(inTheMiddle);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public Mono<Void> bookSeparately(Runnable inTheMiddle) {
			return increment(inTheMiddle);
		}

		@Transactional
		public Mono<Void> call(Mono<Void> work) {
			return work;
		}

	}

	/**
	 * The client of each application would have threads of its own, and take two seconds
	 * to end them.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SharedThreads {

		private static final EventLoopGroup THREADS = new MultiThreadIoEventLoopGroup(1,
				new DefaultThreadFactory("shared", true), NioIoHandler.newFactory());

		@Bean
		MongoClientSettings settings(Environment environment) {
			return MongoClientSettings.builder()
				.applyConnectionString(new ConnectionString(environment.getRequiredProperty("spring.mongodb.uri")))
				.transportSettings(TransportSettings.nettyBuilder().eventLoopGroup(THREADS).build())
				.build();
		}

	}

}
