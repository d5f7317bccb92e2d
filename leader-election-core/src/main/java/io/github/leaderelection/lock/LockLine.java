package io.github.leaderelection.lock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ContendingCandidate;
import io.github.leaderelection.engine.ElectionEngine;
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
final class LockLine {

	private static final EngineLog log = EngineLog.of(LockService.class);

	private final String name;

	private final ElectionEngine engine;

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
	LockLine(String name, ElectionEngine engine, Runnable onEnd) {
		this.name = name;
		this.engine = engine;
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
		if (!waiter.isPatient() && (this.held != null || !this.waiting.isEmpty())) {
			// Whoever holds it may also be the one who was first here.
			waiter.completeExceptionally(new LockUnavailableException("Lock '%s' is held".formatted(this.name)));
			return true;
		}
		this.waiting.add(waiter);
		if (!this.standing) {
			this.standing = true;
			try {
				this.engine.register(this.candidate);
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
		List<Waiter> waiters;
		synchronized (this) {
			waiters = new ArrayList<>(this.waiting);
			this.waiting.clear();
			endIfIdle();
		}
		waiters.forEach((waiter) -> waiter.completeExceptionally(reason));
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

	private void elected(Leadership term) {
		TermLock lock = new TermLock(term, this::closed);
		Waiter first;
		synchronized (this) {
			first = this.ended ? null : this.waiting.poll();
			if (first == null) {
				giveBack();
				return;
			}
			this.held = lock;
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
		this.waiting.addFirst(first);
	}

	private void giveBack() {
		if (this.ended) {
			// It was to leave the election, and that has failed.
			this.engine.unregister(this.candidate);
		}
		else {
			endIfIdle();
		}
	}

	private synchronized void closed(TermLock lock) {
		if (this.held != lock) {
			return;
		}
		this.held = null;
		if (this.waiting.isEmpty()) {
			endIfIdle();
		}
		else {
			this.engine.resign(this.name);
		}
	}

	private void defeated(Leadership term) {
		TermLock lost;
		synchronized (this) {
			lost = this.held;
			if (lost == null || !lost.isOf(term)) {
				return;
			}
			this.held = null;
			endIfIdle();
		}
		if (!lost.isClosed()) {
			log.tell((logger) -> logger.warn(
					"Lost lock '{}', term {}, before it was given back: {}; others may hold it now", this.name,
					lost.term(), term.lossReason().map(Enum::name).orElse("unknown")));
		}
	}

	private void blocked() {
		List<Waiter> impatient;
		synchronized (this) {
			impatient = this.waiting.stream().filter((waiter) -> !waiter.isPatient()).toList();
			this.waiting.removeAll(impatient);
			endIfIdle();
		}
		impatient.forEach((waiter) -> waiter
			.completeExceptionally(new LockUnavailableException("Lock '%s' is held".formatted(this.name))));
	}

	private void endIfIdle() {
		if (this.held == null && this.waiting.isEmpty() && !this.ended) {
			end();
		}
	}

	private void end() {
		this.ended = true;
		try {
			this.engine.unregister(this.candidate);
		}
		finally {
			this.onEnd.run();
			this.over.complete(null);
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
