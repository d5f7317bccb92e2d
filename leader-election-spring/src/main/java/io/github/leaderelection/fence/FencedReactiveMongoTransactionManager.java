package io.github.leaderelection.fence;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.mongodb.MongoException;
import com.mongodb.TransactionOptions;
import com.mongodb.reactivestreams.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.mongodb.ReactiveTermFence;
import io.github.leaderelection.mongodb.TermFence;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.ReactiveMongoDatabaseFactory;
import org.springframework.data.mongodb.ReactiveMongoDatabaseUtils;
import org.springframework.data.mongodb.ReactiveMongoTransactionManager;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * A {@link ReactiveMongoTransactionManager} whose transactions can be fenced: those that
 * are begun in a scope of a {@link ReactiveMongoTransactionFence}, and those in which one
 * is opened. All others are as they always were.
 * <p>
 * The fence is raised before a transaction begins, or joins a scope, and passed when it
 * is about to commit. It takes a manager of its own since what listens to transactions of
 * another can't see the subscriber's context.
 */
public class FencedReactiveMongoTransactionManager extends ReactiveMongoTransactionManager {

	private static final long serialVersionUID = 1L;

	/** How long the start may be held up by a MongoDB that does not answer. */
	private static final int PATIENCE_SECONDS = 2;

	/** By the database, which a factory may choose anew each time. */
	private final transient Map<String, ReactiveTermFence> fences = new ConcurrentHashMap<>();

	/** What transactions are guarded with that were begun in a scope. */
	private final transient Map<Object, Passages> guarded = new ConcurrentHashMap<>();

	/**
	 * Create a manager.
	 * @param databaseFactory supplies the database
	 */
	public FencedReactiveMongoTransactionManager(ReactiveMongoDatabaseFactory databaseFactory) {
		super(databaseFactory);
	}

	/**
	 * Create a manager.
	 * @param databaseFactory supplies the database
	 * @param options the options of its transactions, {@code null} for the defaults
	 */
	public FencedReactiveMongoTransactionManager(ReactiveMongoDatabaseFactory databaseFactory,
			@Nullable TransactionOptions options) {
		super(databaseFactory, options);
	}

	@Override
	protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizationManager, Object transaction,
			TransactionDefinition definition) {
		return Mono.deferContextual((context) -> {
			FencedScope scope = ReactiveMongoTransactionFence.scopeIn(context);
			if (scope == null) {
				return super.doBegin(synchronizationManager, transaction, definition);
			}
			return factory().getMongoDatabase().flatMap((database) -> {
				Collection<Leadership> leaderships = FencedScope.leaderships(scope);
				// Before anybody is asked whether the leadership is held.
				OpenTransactions.Opened opened = OpenTransactions.in(context).open();
				return Flux.fromIterable(leaderships)
					.concatMap((leadership) -> raise(leadership, database))
					.then(super.doBegin(synchronizationManager, transaction, definition))
					.then(Mono.<Void>fromRunnable(() -> {
						this.guarded.put(transaction, new Passages(database, leaderships, opened));
						FencedScope.noteGuarded(scope);
					}))
					.doOnError((ex) -> opened.close())
					.doOnCancel(opened::close);
			});
		});
	}

	@Override
	protected Mono<Void> prepareForCommit(TransactionSynchronizationManager synchronizationManager,
			GenericReactiveTransaction status) {
		Passages passages = status.hasTransaction() ? this.guarded.get(status.getTransaction()) : null;
		Mono<Void> prepared = super.prepareForCommit(synchronizationManager, status);
		return (passages != null) ? prepared.then(passages.pass()) : prepared;
	}

	@Override
	protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager synchronizationManager,
			Object transaction) {
		return super.doCleanupAfterCompletion(synchronizationManager, transaction).doFinally((signal) -> {
			Passages passages = this.guarded.remove(transaction);
			if (passages != null) {
				passages.close();
			}
		});
	}

	/**
	 * Guard the current transaction of the subscriber, if there is one.
	 * @param open is told of it
	 * @return whether there is one
	 */
	Mono<Boolean> join(Leadership leadership, OpenTransactions open) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.onErrorResume(NoTransactionException.class, (ex) -> Mono.empty())
			.filter(TransactionSynchronizationManager::isSynchronizationActive)
			.filterWhen((synchronizations) -> ReactiveMongoDatabaseUtils.isTransactionActive(factory()))
			.flatMap((synchronizations) -> factory().getMongoDatabase()
				.flatMap((database) -> raise(leadership, database).then(Mono.fromSupplier(() -> {
					synchronizations.registerSynchronization(new Passages(database, List.of(leadership), open.open()));
					return true;
				}))))
			.defaultIfEmpty(false);
	}

	private Mono<Void> raise(Leadership leadership, MongoDatabase database) {
		return Mono.defer(() -> {
			leadership.requireHeld();
			return fence(database).raise(leadership);
		}).onErrorMap(MongoException.class, this::translated);
	}

	/** Return what {@code ReactiveMongoTemplate} would fail with. */
	private RuntimeException translated(MongoException failure) {
		DataAccessException translated = factory().getExceptionTranslator().translateExceptionIfPossible(failure);
		return (translated != null) ? translated : failure;
	}

	private ReactiveTermFence fence(MongoDatabase database) {
		return this.fences.computeIfAbsent(database.getName(), (name) -> new ReactiveTermFence(database));
	}

	private ReactiveMongoDatabaseFactory factory() {
		return Objects.requireNonNull(getDatabaseFactory(), "A transaction manager needs a factory");
	}

	/**
	 * Require that there are transactions. May call the database, for a short time.
	 * @throws UnusableFenceException if there are none
	 */
	void requireUsable() {
		Document server = hello();
		if (server != null && !server.containsKey("setName") && !"isdbgrid".equals(server.get("msg"))) {
			throw new UnusableFenceException("MongoDB is a standalone server, which has no transactions",
					"Use a replica set: one of a single member will do");
		}
	}

	/** Return nothing if there is no answer: then nobody leads anyway. */
	private @Nullable Document hello() {
		try {
			return factory().getMongoDatabase()
				.flatMap((database) -> Mono.from(database.runCommand(new Document("hello", 1))))
				.toFuture()
				.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
		catch (ExecutionException | TimeoutException ex) {
			return null;
		}
	}

	/** The ways of one transaction through the fences of its elections. */
	private final class Passages implements TransactionSynchronization, AutoCloseable {

		private final String database;

		private final List<ReactiveTermFence.Passage> passages;

		private final OpenTransactions.Opened opened;

		Passages(MongoDatabase database, Collection<Leadership> leaderships, OpenTransactions.Opened opened) {
			this.opened = opened;
			this.database = database.getName();
			this.passages = leaderships.stream().map(fence(database)::open).toList();
		}

		Mono<Void> pass() {
			return ReactiveMongoDatabaseUtils.getDatabase(this.database, factory())
				.map((bound) -> bound.getCollection(TermFence.COLLECTION))
				.flatMap((bound) -> Flux.fromIterable(this.passages).concatMap((passage) -> passage.pass(bound)).then())
				.onErrorMap(MongoException.class, FencedReactiveMongoTransactionManager.this::translated);
		}

		/** Where a scope was opened in the transaction. */
		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return pass();
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromRunnable(this::close);
		}

		@Override
		public void close() {
			this.passages.forEach(ReactiveTermFence.Passage::close);
			this.opened.close();
		}

	}

}
