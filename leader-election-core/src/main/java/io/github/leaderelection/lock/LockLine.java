package io.github.leaderelection.lock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ContendingCandidate;
import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

/**
 * Who holds and who waits for one lock in this process, in the order in which they came.
 * There is a line for as long as somebody does: it stands in the election of the lock
 * from its beginning to its end.
 * <p>
 * Each holder has a term of its own. So a lock that is closed goes back to the store, and
 * those who wait here stand for it beside everybody else.
 */
class LockLine {

	private static final EngineLog log = EngineLog.of(LockService.class);

	private final String name;

	private final LineElections elections;

	private final Runnable onEnd;

	private final CompletableFuture<Void> over = new CompletableFuture<>();

	private final Candidate candidate = new LineCandidate();

	private final Deque<Waiter> waiting = new ArrayDeque<>();

	private @Nullable TermLock held;

	private boolean standing;

	private boolean ended;

	/**
	 * Create a line in which nobody waits.
	 * @param onEnd run when nobody holds the lock or waits for it any more; throws
	 * nothing
	 */
	LockLine(String name, LineElections elections, Runnable onEnd) {
		this.name = name;
		this.elections = elections;
		this.onEnd = onEnd;
	}

	/**
	 * Join the line.
	 * @return whether the line had not ended yet
	 */
	synchronized boolean join(Waiter waiter) {
		if (this.ended) {
			return false;
		}
		if ((this.held != null || !this.waiting.isEmpty()) && !waiter.waitsForOthers()) {
			// Whoever holds it may also be the one who was first here. Nothing follows
			// from
			// it yet: nobody has it.
			waiter.completeExceptionally(isHeldBySomebody());
			return true;
		}
		this.waiting.add(waiter);
		if (!this.standing) {
			this.standing = true;
			try {
				this.elections.register(this.candidate);
			}
			catch (Throwable ex) {
				this.waiting.remove(waiter);
				end();
				throw ex;
			}
		}
		return true;
	}

	/** Leave the line. */
	synchronized void leave(Waiter waiter) {
		this.waiting.remove(waiter);
		endIfIdle();
	}

	/** Let nobody wait any more. */
	void abandon(Throwable reason) {
		for (Waiter next = removeFirst(); next != null; next = removeFirst()) {
			next.refuse(reason);
		}
	}

	private synchronized @Nullable Waiter removeFirst() {
		Waiter first = this.waiting.poll();
		endIfIdle();
		return first;
	}

	synchronized int waiting() {
		return this.waiting.size();
	}

	synchronized boolean isHeld() {
		return this.held != null;
	}

	/** Return what is completed when nobody holds the lock or waits for it any more. */
	CompletableFuture<Void> over() {
		return this.over;
	}

	void elected(Leadership term) {
		TermLock lock = new TermLock(term, this::closed);
		Waiter first = begin(lock);
		if (first == null) {
			return;
		}
		try {
			first.grant(lock);
		}
		catch (Throwable ex) {
			putBack(first);
			throw ex;
		}
	}

	/** It is still the first: the next term is its. */
	private synchronized void putBack(Waiter first) {
		this.held = null;
		if (!first.isDone()) {
			this.waiting.addFirst(first);
		}
		endIfIdle();
	}

	/** Return whose turn it is. */
	private synchronized @Nullable Waiter begin(TermLock lock) {
		Waiter first = this.ended ? null : this.waiting.poll();
		if (first == null) {
			// Whoever waited has left, and so does the line, or it has done so already.
			attempt(() -> this.elections.giveUp(lock.leadership()));
			endIfIdle();
			return null;
		}
		this.held = lock;
		return first;
	}

	void closed(TermLock lock) {
		giveBack(lock);
		tellIfLost(lock);
	}

	private synchronized void giveBack(TermLock lock) {
		if (this.held != lock) {
			return;
		}
		this.held = null;
		// Whatever becomes of the line: nobody else gets the lock under this term.
		attempt(() -> this.elections.giveUp(lock.leadership()));
		endIfIdle();
	}

	void defeated(Leadership term) {
		TermLock lost;
		synchronized (this) {
			lost = this.held;
			if (lost == null || !lost.isOf(term)) {
				return;
			}
			this.held = null;
			endIfIdle();
		}
		tellIfLost(lost);
	}

	/** Whoever closes it may be faster than the engine, as after a pause. */
	private void tellIfLost(TermLock lock) {
		LossReason reason = lock.untoldLoss();
		if (reason != null) {
			log.tell((logger) -> logger.warn(
					"Lost lock '{}', term {}, before it was given back: {}; others may hold it now", this.name,
					lock.term(), reason));
		}
	}

	private void blocked() {
		Waiter impatient = removeImpatient();
		if (impatient != null) {
			impatient.refuse(isHeldBySomebody());
		}
	}

	/** Return who does not wait: nobody else than who was first here. */
	private synchronized @Nullable Waiter removeImpatient() {
		Waiter first = this.waiting.peek();
		return (first != null && !first.waitsForOthers()) ? removeFirst() : null;
	}

	private LockUnavailableException isHeldBySomebody() {
		return new LockUnavailableException("Lock '%s' is held".formatted(this.name));
	}

	private void endIfIdle() {
		if (this.held == null && this.waiting.isEmpty() && !this.ended) {
			end();
		}
	}

	private void end() {
		this.ended = true;
		attempt(() -> this.elections.unregister(this.candidate));
		this.onEnd.run();
		this.over.complete(null);
	}

	/** What fails here is done later, by whom it was asked of. */
	private void attempt(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			log.tell(ex, (logger, cause) -> logger.debug("What lock '{}' needs of its election is done later",
					this.name, cause));
		}
	}

	/** Stands for all who wait in this line. */
	private final class LineCandidate implements ContendingCandidate {

		@Override
		public String election() {
			return LockLine.this.name;
		}

		@Override
		public void onElected(Leadership leadership) {
			elected(leadership);
		}

		@Override
		public void onDefeated(Leadership leadership) {
			defeated(leadership);
		}

		@Override
		public void onBlocked() {
			blocked();
		}

		@Override
		public String toString() {
			return "of those who wait for lock '%s'".formatted(LockLine.this.name);
		}

	}

}
