package io.github.leaderelection.lock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ContendingCandidate;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.GatedCall;
import org.jspecify.annotations.Nullable;

/**
 * The holder of one lock in this process, and the requests that wait for it, in the order
 * in which they came. A line exists for as long as there is either, and is a candidate in
 * the election of the lock for all that time.
 * <p>
 * Each holder has a term of its own. So a lock that is closed goes back to the store, and
 * the waiting requests of this process compete for it with all other processes.
 */
class LockLine implements ContendingCandidate {

	private final String name;

	private final ElectionAccess elections;

	private final EngineLog log;

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	// Guarded by this

	private final Deque<Waiter> waiting = new ArrayDeque<>();

	private @Nullable TermLock held;

	/** Create an empty line. */
	LockLine(String name, ElectionAccess elections, EngineLog log) {
		this.name = name;
		this.elections = elections;
		this.log = log;
	}

	/**
	 * Return a future that completes when this process neither holds the lock nor waits
	 * for it any more.
	 */
	CompletableFuture<Void> over() {
		return this.over;
	}

	synchronized int waiting() {
		return this.waiting.size();
	}

	/** Return the lock that is held, {@code null} if none is. */
	synchronized @Nullable TermLock held() {
		return this.held;
	}

	// Waiting requests

	/**
	 * Add a waiter to the line, which it leaves when it is completed in any way.
	 * @return {@code false} if the line has ended already
	 */
	synchronized boolean join(Waiter waiter) {
		if (this.over.isDone()) {
			return false;
		}
		boolean first = this.held == null && this.waiting.isEmpty();
		if (!first && !waiter.fallBehind()) {
			// Complete it directly: no caller has it yet, so no stage depends on it.
			waiter.completeExceptionally(waiter.refusal(this.name, this.elections.leader()));
			return true;
		}
		CompletableFuture<HeldLock> unused = waiter.whenComplete((lock, failure) -> leave(waiter));
		this.waiting.add(waiter);
		if (first) {
			try {
				this.elections.register().accept(this);
			}
			catch (Throwable ex) {
				waiter.cancel(false);
				throw ex;
			}
		}
		return true;
	}

	synchronized void leave(Waiter waiter) {
		this.waiting.remove(waiter);
		endIfIdle();
	}

	private synchronized @Nullable Waiter first() {
		return this.waiting.peek();
	}

	/**
	 * Refuse the lock to a waiter: others come first, or it is not known whether the lock
	 * is free.
	 */
	void refuse(Waiter waiter) {
		// Ask for the leader first: the election is known only until the line ends.
		refuse(waiter, waiter.refusal(this.name, this.elections.leader()));
	}

	private void refuse(Waiter waiter, Throwable reason) {
		leave(waiter);
		waiter.refuse(reason);
	}

	/** Refuse the lock to all waiters. */
	void abandon(Throwable reason) {
		for (Waiter next = first(); next != null; next = first()) {
			refuse(next, reason);
		}
	}

	// Callbacks of the election

	@Override
	public String election() {
		return this.name;
	}

	@Override
	public void onElected(Leadership term) {
		GatedCall work = this.elections.enter().apply(this.name);
		if (work == null) {
			// The term has ended already. The waiters get the lock in a later term.
			return;
		}
		// The call ends when the lock is closed, on any thread.
		work.detach(null);
		TermLock lock = new TermLock(work, this::closed);
		Waiter first;
		synchronized (this) {
			first = this.waiting.poll();
			this.held = (first != null) ? lock : null;
		}
		if (first != null) {
			first.grant(lock);
		}
		else {
			// All waiters have left in the meantime.
			lock.close();
		}
	}

	@Override
	public void onDefeated(Leadership term) {
		TermLock lost = held();
		if (lost != null && drop(lost)) {
			// The holder may need the safety margin to find out. After that, a lock that
			// is never closed must not block its name.
			this.elections.afterMargin().accept(lost::endWork);
			logLoss(lost);
		}
	}

	@Override
	public void onBlocked() {
		Waiter first = first();
		// Waiters behind the first knew from the beginning that others come first.
		if (first != null && !first.fallBehind()) {
			refuse(first);
		}
	}

	// The holder

	private void closed(TermLock lock) {
		attempt(lock::endWork);
		// Even if others wait here: nobody else gets the lock under this term.
		attempt(() -> this.elections.giveUp().accept(lock.leadership()));
		if (drop(lock)) {
			// A holder may close a lost lock before the engine notices, as after a pause.
			logLoss(lock);
		}
	}

	/** Forget the lock if it is the one that is held. Return whether it was. */
	private synchronized boolean drop(TermLock lock) {
		if (this.held != lock) {
			return false;
		}
		this.held = null;
		endIfIdle();
		return true;
	}

	private void logLoss(TermLock lock) {
		LossReason reason = lock.lossReason().orElse(LossReason.RESIGNED);
		if (reason != LossReason.RESIGNED) {
			this.log.tell((logger) -> logger.warn(
					"Lost lock '{}', term {}, before it was given back: {}; others may hold it now", this.name,
					lock.term(), reason));
		}
	}

	private void endIfIdle() {
		if (this.held == null && this.waiting.isEmpty() && !this.over.isDone()) {
			attempt(() -> this.elections.unregister().accept(this));
			this.over.complete(null);
		}
	}

	/** Run an action of the election. If it fails, the engine completes it later. */
	private void attempt(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			this.log.tell(ex, (logger, cause) -> logger
				.debug("A change to the election of lock '{}' failed; it is made later", this.name, cause));
		}
	}

	@Override
	public String toString() {
		return "of those who wait for lock '%s'".formatted(this.name);
	}

}
