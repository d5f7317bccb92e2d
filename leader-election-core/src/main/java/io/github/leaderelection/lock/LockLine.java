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
 * Who holds and who waits for one lock in this process, in the order in which they came.
 * There is a line for as long as somebody does: it is a candidate in the election of the
 * lock from its beginning to its end.
 * <p>
 * Each holder has a term of its own. So a lock that is closed goes back to the store, and
 * those who wait here compete for it with everybody else.
 */
class LockLine implements ContendingCandidate {

	private final String name;

	private final ElectionAccess elections;

	private final EngineLog log;

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	// Guarded by this

	private final Deque<Waiter> waiting = new ArrayDeque<>();

	private @Nullable TermLock held;

	/** Create a line in which nobody waits. */
	LockLine(String name, ElectionAccess elections, EngineLog log) {
		this.name = name;
		this.elections = elections;
		this.log = log;
	}

	/** Return what is completed when nobody holds the lock or waits for it any more. */
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

	// Those who wait

	/**
	 * Join the line. Whoever joins leaves it when it is completed, by whomever.
	 * @return whether the line had not ended yet
	 */
	synchronized boolean join(Waiter waiter) {
		if (this.over.isDone()) {
			return false;
		}
		boolean first = this.held == null && this.waiting.isEmpty();
		if (!first && !waiter.fallBehind()) {
			// Nothing follows from it yet: nobody has it.
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

	/** Let it wait no longer: others come first, or nobody can tell. */
	void refuse(Waiter waiter) {
		// The election is known only while the line stands in it.
		refuse(waiter, waiter.refusal(this.name, this.elections.leader()));
	}

	private void refuse(Waiter waiter, Throwable reason) {
		leave(waiter);
		waiter.refuse(reason);
	}

	/** Let nobody wait any more. */
	void abandon(Throwable reason) {
		for (Waiter next = first(); next != null; next = first()) {
			refuse(next, reason);
		}
	}

	// What the election brings

	@Override
	public String election() {
		return this.name;
	}

	@Override
	public void onElected(Leadership term) {
		GatedCall work = this.elections.enter().apply(this.name);
		if (work == null) {
			// Over before it was told. Those who wait get the lock in a later term.
			return;
		}
		// It ends where the lock is closed, on whatever thread.
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
			// Whoever waited has left.
			lock.close();
		}
	}

	@Override
	public void onDefeated(Leadership term) {
		TermLock lost = held();
		if (lost != null && drop(lost)) {
			// Whoever has it may need the margin to find out. A lock that is never closed
			// must not block its name for longer.
			this.elections.afterMargin().accept(lost::endWork);
			logLoss(lost);
		}
	}

	@Override
	public void onBlocked() {
		Waiter first = first();
		// Those behind it knew from the beginning that others come first.
		if (first != null && !first.fallBehind()) {
			refuse(first);
		}
	}

	// The holder

	private void closed(TermLock lock) {
		attempt(lock::endWork);
		// Whatever becomes of the line: nobody else gets the lock under this term.
		attempt(() -> this.elections.giveUp().accept(lock.leadership()));
		if (drop(lock)) {
			// Whoever closes it may be faster than the engine, as after a pause.
			logLoss(lock);
		}
	}

	/** Return whether the lock was held until now. */
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

	/** What fails here is done later, by whom it was asked of. */
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
