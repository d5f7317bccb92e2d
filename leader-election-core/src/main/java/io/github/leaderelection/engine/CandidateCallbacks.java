package io.github.leaderelection.engine;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells one candidate when its terms begin and end: in order, balanced, and never on the
 * caller's thread.
 */
final class CandidateCallbacks {

	private static final EngineLog log = EngineLog.of(CandidateCallbacks.class);

	private final Candidate candidate;

	private final SerialExecutor executor;

	private final EngineObservers observers;

	private final Runnable wake;

	// The latest term of each kind

	/** The term for which {@code onElected} was queued. */
	private volatile @Nullable Term announced;

	/** The term for which {@code onElected} was called, until {@code onDefeated} is. */
	private @Nullable Term elected;

	/** The term for which {@code onElected} threw while the term was held. */
	private volatile @Nullable Term failed;

	/** The term that has ended, for this candidate or for the whole process. */
	private volatile @Nullable Term over;

	/** The term for which {@code onDefeated} was queued. */
	private volatile @Nullable Term defeatAnnounced;

	/** The term with which the candidate is done. */
	private volatile @Nullable Term done;

	/** The failure of the last {@code onElected}, {@code null} if it did not fail. */
	private volatile @Nullable String lastFailure;

	/** The scope of the thread that is inside a callback, {@code null} if none is. */
	private @Nullable WorkScope running;

	private boolean closed;

	private volatile boolean leaving;

	/**
	 * Whether the candidate was told, or is about to be, that there is no use in waiting.
	 */
	private boolean blocked;

	/**
	 * Create callbacks for a candidate.
	 * @param executor runs the callbacks one after the other
	 * @param wake run when a callback has ended
	 */
	CandidateCallbacks(Candidate candidate, SerialExecutor executor, EngineObservers observers, Runnable wake) {
		this.candidate = candidate;
		this.executor = executor;
		this.observers = observers;
		this.wake = wake;
	}

	/** Return callbacks for the same candidate that run after all of these. */
	CandidateCallbacks successor() {
		return new CandidateCallbacks(this.candidate, this.executor, this.observers, this.wake);
	}

	Candidate candidate() {
		return this.candidate;
	}

	/** Return whether the candidate is told of its defeat before the gate is closed. */
	boolean isBound() {
		return this.candidate instanceof BoundCandidate;
	}

	/** Return whether the candidate wants to be told when there is no use in waiting. */
	boolean contends() {
		return this.candidate instanceof ContendingCandidate && !this.blocked && !this.leaving;
	}

	/** Tell the candidate, once, that there is no use in waiting. */
	void blocked() {
		this.executor.execute(((ContendingCandidate) this.candidate)::onBlocked);
		this.blocked = true;
	}

	/** Let this candidate go as soon as the current term has ended. */
	void leave() {
		this.leaving = true;
	}

	boolean isLeaving() {
		return this.leaving;
	}

	/** Return whether the candidate was told, or is about to be, that the term began. */
	boolean isAnnounced(Term term) {
		return this.announced == term;
	}

	/**
	 * Tell the candidate that it was elected, unless the term has ended when its turn
	 * comes.
	 */
	void elected(Term term) {
		this.executor.execute(() -> runElected(term));
		this.announced = term;
	}

	/** Return whether {@code onElected} threw while this term was held. */
	boolean hasFailed(Term term) {
		return this.failed == term;
	}

	/**
	 * Tell the candidate that the term has ended, if it was told of its beginning.
	 * Interrupts its thread if it is still inside {@code onElected}. Can be retried if it
	 * throws.
	 */
	synchronized void defeated(Term term) {
		this.over = term;
		interruptIfOver();
		this.executor.execute(() -> runDefeated(term));
		this.defeatAnnounced = term;
	}

	/** Return whether the candidate was told, or is about to be, that the term ended. */
	boolean isDefeatAnnounced(Term term) {
		return this.defeatAnnounced == term;
	}

	/** Return whether the candidate is done with this term. */
	boolean isDoneWith(Term term) {
		return this.done == term;
	}

	private void interruptIfOver() {
		if (this.running != null && isOver()) {
			this.running.interrupt();
		}
	}

	/** Return whether the term that the candidate was told of has ended. */
	private boolean isOver() {
		return this.elected != null && this.elected == this.over;
	}

	/** Return whether the candidate was interrupted and has not returned yet. */
	synchronized boolean ignoresInterrupt() {
		return this.running != null && isOver();
	}

	/** Run callbacks that found no thread before. */
	void retry() {
		this.executor.retry();
	}

	/** Begin no further callback. Interrupt {@code onElected} if it is still running. */
	void close() {
		Term untold;
		synchronized (this) {
			this.closed = true;
			untold = this.elected;
			this.over = (untold != null) ? untold : this.over;
			interruptIfOver();
		}
		this.executor.close();
		if (untold != null) {
			log.tell((logger) -> LogLines.about(untold, logger.atWarn())
				.log("Candidate {} of election '{}' has not returned in time; it won't be told of its defeat",
						this.candidate, untold.election()));
		}
	}

	private void runElected(Term term) {
		if (!beginElected(term)) {
			return;
		}
		long since = this.observers.now();
		Throwable failure = null;
		try {
			this.candidate.onElected(term);
			this.lastFailure = null;
		}
		catch (Throwable ex) {
			if (isCurrent(term)) {
				this.failed = term;
			}
			// The interrupt asked it to return: this exception is no failure.
			failure = (hasFailed(term) || !(ex instanceof InterruptedException)) ? ex : null;
		}
		finally {
			end();
		}
		observe(term, EngineObserver.Callback.ELECTED, since, failure);
		if (failure != null) {
			log.tell(failure, (logger, cause) -> logFailure(logger, term, cause));
		}
	}

	private void logFailure(Logger logger, Term term, Throwable cause) {
		if (hasFailed(term)) {
			String what = StoredText.printable(cause.toString());
			boolean known = what.equals(this.lastFailure);
			this.lastFailure = what;
			LogLines.about(term, logger.atError())
				.setCause(known ? null : cause)
				.log("Candidate {} failed when elected in '{}', term {}; it resigns and waits for its cooldown: {}",
						this.candidate, term.election(), term.term(), what);
		}
		else {
			LogLines.about(term, logger.atWarn())
				.setCause(cause)
				.log("Candidate {} failed after its leadership of '{}', term {}, had ended", this.candidate,
						term.election(), term.term());
		}
	}

	/** Under the lock, so that a term that ends from now on finds the thread inside. */
	private synchronized boolean beginElected(Term term) {
		if (this.closed || !isCurrent(term)) {
			return false;
		}
		this.running = WorkScope.enter(this);
		this.elected = term;
		return true;
	}

	private boolean isCurrent(Term term) {
		return term != this.over && term.isHeld();
	}

	private void runDefeated(Term term) {
		long since = this.observers.now();
		Throwable failure = null;
		boolean told = false;
		try {
			told = beginDefeated(term);
			if (told) {
				this.candidate.onDefeated(term);
			}
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			this.done = term;
			end();
		}
		if (told) {
			observe(term, EngineObserver.Callback.DEFEATED, since, failure);
		}
		if (failure != null) {
			log.tell(failure, (logger, cause) -> LogLines.about(term, logger.atError())
				.setCause(cause)
				.log("Candidate {} failed when told that its leadership of '{}', term {}, has ended; it stays a candidate",
						this.candidate, term.election(), term.term()));
		}
	}

	private synchronized boolean beginDefeated(Term term) {
		if (this.closed || this.elected != term) {
			return false;
		}
		this.running = WorkScope.enter(this);
		this.elected = null;
		return true;
	}

	/** The thread leaves the callback. */
	private void end() {
		WorkScope left;
		synchronized (this) {
			left = this.running;
			this.running = null;
		}
		if (left != null) {
			// The interrupt was meant for this callback, not for the next task.
			left.close();
		}
		this.wake.run();
	}

	private void observe(Term term, EngineObserver.Callback callback, long since, @Nullable Throwable failure) {
		this.observers.fireEnd(since,
				(observer, nanos) -> observer.onCallback(term.election(), callback, nanos, failure != null));
	}

}
