package io.github.leaderelection.fence;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets the transactions of one manager pass the fence.
 * <p>
 * The fence is raised before a transaction begins or joins a scope, and passed last,
 * after all callbacks before the commit. So a new leader does not have to wait for a long
 * transaction, or for a process that was paused in the middle of one. The database is
 * called only where an exception rolls the transaction back, or keeps it from beginning.
 * <p>
 * The thread is not interrupted during a commit or rollback: the driver would not send
 * it, and the database would keep the transaction open.
 */
final class TransactionGuard implements TransactionExecutionListener {

	private final AbstractPlatformTransactionManager manager;

	private final FencedDatabase database;

	/** Transactions that this manager has begun, by the resource of their thread. */
	private final Map<Object, GuardedTransaction> open = Collections.synchronizedMap(new WeakHashMap<>());

	private TransactionGuard(AbstractPlatformTransactionManager manager, FencedDatabase database) {
		this.manager = manager;
		this.database = database;
	}

	/**
	 * Return the guard of a manager. Adds one if it has none.
	 * @param manager the manager
	 * @param table the name of the table for fences in a relational database
	 * @return the guard, or {@code null} if its transactions can't be fenced
	 */
	static synchronized @Nullable TransactionGuard of(PlatformTransactionManager manager, String table) {
		if (!(manager instanceof AbstractPlatformTransactionManager observable)) {
			return null;
		}
		for (TransactionExecutionListener each : observable.getTransactionExecutionListeners()) {
			if (each instanceof TransactionGuard guard) {
				return guard;
			}
		}
		FencedDatabase database = FencedDatabases.find(observable, table);
		if (database == null) {
			return null;
		}
		TransactionGuard guard = new TransactionGuard(observable, database);
		// The list that the application has set may be immutable.
		List<TransactionExecutionListener> listeners = new ArrayList<>(observable.getTransactionExecutionListeners());
		listeners.add(guard);
		observable.setTransactionExecutionListeners(listeners);
		return guard;
	}

	/**
	 * Guard the current transaction, if there is one.
	 * @return whether there is one
	 */
	boolean join(Leadership leadership) {
		if (!this.database.isBound()) {
			return false;
		}
		requireSynchronization();
		GuardedTransaction present = find();
		if (!TransactionSynchronizationManager.isSynchronizationActive() || !this.database.inTransaction()
				|| (present != null && present.committed)) {
			// What is written on its connection now is committed without the fence.
			throw new UnusableFenceException(
					"the transaction of this thread has ended, or its manager has no transaction synchronization",
					"After a commit or rollback, make the call on another thread, for example with @Async, or from a method with REQUIRES_NEW");
		}
		GuardedTransaction guarded = guarded();
		raise(leadership);
		this.database.requireRaisedBefore(leadership, guarded.begunAt);
		guarded.add(leadership);
		return true;
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		FencedScope.leaderships().forEach(this::raise);
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		// Must not throw: the transaction would stay bound to the thread.
		if (beginFailure == null && TransactionSynchronizationManager.isSynchronizationActive()) {
			GuardedTransaction guarded = guarded();
			guarded.own = true;
			Object resource = this.database.resource();
			if (resource != null) {
				this.open.put(resource, guarded);
			}
			FencedScope.leaderships().forEach(guarded::add);
			FencedScope.noteGuarded();
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		GuardedTransaction guarded = ending(transaction);
		if (guarded == null || this.database.isRolledBack(transaction)) {
			return;
		}
		// What follows may have to wait.
		guarded.defer(false);
		try {
			if (guarded.isFenced() && !transaction.isReadOnly() && transaction instanceof TransactionStatus status) {
				// Flush first: a transaction must not wait for a row after it has passed
				// the fence.
				this.database.flush(status);
			}
			guarded.pass();
			guarded.committed = true;
		}
		finally {
			guarded.defer(true);
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended(transaction);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended(transaction);
	}

	private void ended(TransactionExecution transaction) {
		GuardedTransaction guarded = ending(transaction);
		if (guarded != null) {
			guarded.own = false;
		}
	}

	/** Find the transaction that ends, {@code null} if only a savepoint does. */
	private @Nullable GuardedTransaction ending(TransactionExecution transaction) {
		return transaction.isNewTransaction() ? find() : null;
	}

	private void raise(Leadership leadership) {
		leadership.requireHeld();
		requireSynchronization();
		this.database.raise(leadership);
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
		// Another manager may have begun an inner transaction, with its own
		// synchronizations.
		Object resource = this.database.resource();
		return (resource != null) ? this.open.get(resource) : null;
	}

	void requireUsable(boolean alone) {
		requireSynchronization();
		this.database.requireUsable(alone);
	}

	private void requireSynchronization() {
		if (this.manager.getTransactionSynchronization() == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
			throw new UnusableFenceException("the transaction manager has no transaction synchronization",
					"Remove setTransactionSynchronization(SYNCHRONIZATION_NEVER)");
		}
	}

	/**
	 * The fences of one transaction. A synchronization, since Spring suspends and resumes
	 * those with their transaction.
	 */
	private final class GuardedTransaction implements TransactionSynchronization {

		private final Map<Leadership, FencedDatabase.Passage> passages = new LinkedHashMap<>();

		/** When it began, or was found if another manager has begun it. */
		private final long begunAt = System.nanoTime();

		/**
		 * Whether this manager commits it. Otherwise it takes part in the transaction of
		 * another manager, and this one is not notified of the commit.
		 */
		private boolean own;

		private boolean committed;

		private boolean deferring;

		boolean isOf(TransactionGuard guard) {
			return TransactionGuard.this == guard;
		}

		void add(Leadership leadership) {
			this.passages.computeIfAbsent(leadership, TransactionGuard.this.database::open);
		}

		boolean isFenced() {
			return !this.passages.isEmpty();
		}

		void pass() {
			try {
				this.passages.values().forEach(FencedDatabase.Passage::pass);
			}
			catch (TransactionException ex) {
				// Spring would treat it as an exception of the commit, and not roll back.
				throw new QueryTimeoutException("The transaction timed out before it passed the fence", ex);
			}
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (!this.own && TransactionGuard.this.database.inTransaction()) {
				pass();
			}
		}

		/** Defer interrupts of the thread, or defer them no more. */
		void defer(boolean defer) {
			if (defer == this.deferring) {
				return;
			}
			this.deferring = defer;
			if (defer) {
				WorkScope.deferInterrupts();
			}
			else {
				WorkScope.deliverInterrupts();
			}
		}

		/**
		 * Before a commit, too: it fails if the thread is interrupted. Inside a
		 * transaction of another manager, MongoDB is committed or rolled back by a
		 * synchronization that comes before this one.
		 */
		@Override
		public void beforeCompletion() {
			defer(true);
		}

		@Override
		public void afterCommit() {
			defer(false);
		}

		@Override
		public void afterCompletion(int status) {
			defer(false);
			TransactionGuard.this.open.values().remove(this);
			this.passages.values().forEach(FencedDatabase.Passage::close);
			this.passages.clear();
		}

	}

}
