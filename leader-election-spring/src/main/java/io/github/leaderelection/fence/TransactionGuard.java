package io.github.leaderelection.fence;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.mongodb.TermFence;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoDatabaseUtils;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets the transactions of one manager pass the fence.
 * <p>
 * The fence is raised before a transaction begins, or joins a scope, and passed last,
 * when all callbacks before the commit have run. So nobody waits for a transaction that
 * takes long, nor for one of a process that was stopped in the middle of it. Each call of
 * the database is made where an exception has the transaction rolled back, or not begun.
 */
final class TransactionGuard implements TransactionExecutionListener {

	/** How long the start may be held up by a MongoDB that does not answer. */
	private static final int PATIENCE_SECONDS = 2;

	private final MongoTransactionManager manager;

	/** By the database, which a factory may choose anew each time. */
	private final Map<String, TermFence> fences = new ConcurrentHashMap<>();

	private TransactionGuard(MongoTransactionManager manager) {
		this.manager = manager;
	}

	/** Return the guard of a manager, which is given one if it has none. */
	static synchronized TransactionGuard of(MongoTransactionManager manager) {
		for (TransactionExecutionListener each : manager.getTransactionExecutionListeners()) {
			if (each instanceof TransactionGuard guard) {
				return guard;
			}
		}
		TransactionGuard guard = new TransactionGuard(manager);
		manager.addListener(guard);
		return guard;
	}

	/**
	 * Guard the current transaction, if there is one.
	 * @return whether there is one
	 */
	boolean join(Leadership leadership) {
		if (!MongoDatabaseUtils.isTransactionActive(factory())) {
			return false;
		}
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			throw unsynchronized();
		}
		GuardedTransaction guarded = guarded();
		raise(leadership, guarded.database());
		guarded.add(leadership);
		return true;
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		FencedScope.leaderships().forEach((leadership) -> raise(leadership, factory().getMongoDatabase()));
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		// An exception would leave the transaction to the thread.
		if (beginFailure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
			GuardedTransaction guarded = guarded();
			guarded.own = true;
			FencedScope.leaderships().forEach(guarded::add);
			FencedScope.noteGuarded();
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		GuardedTransaction guarded = find();
		if (guarded != null) {
			translating(guarded::pass);
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended();
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended();
	}

	private void ended() {
		GuardedTransaction guarded = find();
		if (guarded != null) {
			guarded.own = false;
		}
	}

	private void raise(Leadership leadership, MongoDatabase database) {
		leadership.requireHeld();
		requireSynchronization();
		translating(() -> fence(database).raise(leadership));
	}

	/** Throw what {@code MongoTemplate} would throw. */
	private void translating(Runnable call) {
		try {
			call.run();
		}
		catch (MongoException ex) {
			DataAccessException translated = factory().getExceptionTranslator().translateExceptionIfPossible(ex);
			throw (translated != null) ? translated : ex;
		}
	}

	private GuardedTransaction guarded() {
		GuardedTransaction guarded = find();
		if (guarded == null) {
			guarded = new GuardedTransaction();
			TransactionSynchronizationManager.registerSynchronization(guarded);
		}
		return guarded;
	}

	private @Nullable GuardedTransaction find() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
				if (each instanceof GuardedTransaction guarded && guarded.isOf(this)) {
					return guarded;
				}
			}
		}
		return null;
	}

	private TermFence fence(MongoDatabase database) {
		return this.fences.computeIfAbsent(database.getName(), (name) -> new TermFence(database));
	}

	private MongoDatabaseFactory factory() {
		return Objects.requireNonNull(this.manager.getDatabaseFactory(), "A transaction manager needs a factory");
	}

	void requireUsable() {
		requireSynchronization();
		Document server = hello(factory().getMongoDatabase());
		if (server != null && !server.containsKey("setName") && !"isdbgrid".equals(server.get("msg"))) {
			throw new UnusableFenceException("MongoDB is a standalone server, which has no transactions",
					"Use a replica set: one of a single member will do");
		}
	}

	private void requireSynchronization() {
		if (this.manager.getTransactionSynchronization() == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
			throw unsynchronized();
		}
	}

	private static UnusableFenceException unsynchronized() {
		return new UnusableFenceException("the transaction manager has no transaction synchronization",
				"Leave out setTransactionSynchronization(SYNCHRONIZATION_NEVER)");
	}

	/** Return nothing if there is no answer: then nobody leads anyway. */
	private static @Nullable Document hello(MongoDatabase database) {
		try {
			return database.withTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).runCommand(new Document("hello", 1));
		}
		catch (MongoException ex) {
			return null;
		}
	}

	/**
	 * What the current transaction is guarded with. A synchronization, since these are
	 * put aside and taken up again with their transaction.
	 */
	private final class GuardedTransaction implements TransactionSynchronization {

		private final Map<Leadership, TermFence.Passage> passages = new LinkedHashMap<>();

		private @Nullable MongoDatabase database;

		/**
		 * Whether the manager commits it. It may take part in the transaction of another
		 * one, of which this manager is not told.
		 */
		private boolean own;

		MongoDatabase database() {
			MongoDatabase present = this.database;
			if (present == null) {
				present = factory().getMongoDatabase();
				this.database = present;
			}
			return present;
		}

		boolean isOf(TransactionGuard guard) {
			return TransactionGuard.this == guard;
		}

		void add(Leadership leadership) {
			this.passages.computeIfAbsent(leadership, fence(database())::open);
		}

		void pass() {
			this.passages.values()
				.forEach((passage) -> passage.pass(MongoDatabaseUtils.getDatabase(database().getName(), factory())
					.getCollection(TermFence.COLLECTION)));
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (!this.own && MongoDatabaseUtils.isTransactionActive(factory())) {
				translating(this::pass);
			}
		}

		@Override
		public void afterCompletion(int status) {
			this.passages.values().forEach(TermFence.Passage::close);
			this.passages.clear();
		}

	}

}
