package io.github.leaderelection.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.leaderelection.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * Tells one candidate of its terms: in order, balanced, and never on the caller's thread.
 */
final class CandidateCallbacks {

	private static final EngineLog log = EngineLog.of(CandidateCallbacks.class);

	private final Object lock = new Object();

	private final Candidate candidate;

	private final SerialExecutor executor;

	private final EngineObservers observers;

	/** The last term whose beginning waits to be told, or was told. */
	private volatile @Nullable Term announced;

	/** The last term the candidate was told of, until it is told of its end. */
	private @Nullable Term elected;

	/** The last term in which the candidate has failed while it was held. */
	private volatile @Nullable Term failed;

	/** The time that a thread spends inside {@code onElected}. */
	private @Nullable WorkScope running;

	/** The thread inside either callback. */
	private @Nullable Thread caller;

	/** Whether nobody waits for the callback that this candidate is inside. */
	private boolean leftBehind;

	private boolean closed;

	/** The last term whose end was announced, for this candidate or for all. */
	private volatile @Nullable Term over;

	/** How far the candidate has been told of the last end. */
	private volatile @Nullable Defeat defeat;

	private volatile boolean leaving;

	/**
	 * Whether the candidate was told, or is about to be, that there is no use in waiting.
	 */
	private boolean blocked;

	CandidateCallbacks(Candidate candidate, Executor threads, EngineObservers observers) {
		this(candidate, new SerialExecutor(threads), observers);
	}

	private CandidateCallbacks(Candidate candidate, SerialExecutor executor, EngineObservers observers) {
		this.candidate = candidate;
		this.executor = executor;
		this.observers = observers;
	}

	/** Return callbacks for the same candidate that come after all of these. */
	CandidateCallbacks successor() {
		return new CandidateCallbacks(this.candidate, this.executor, this.observers);
	}

	Candidate candidate() {
		return this.candidate;
	}

	/** Return whether the candidate is told of its defeat before calls are kept out. */
	boolean isBound() {
		return this.candidate instanceof BoundCandidate;
	}

	/** Return whether the candidate wants to be told when there is no use in waiting. */
	boolean contends() {
		return this.candidate instanceof ContendingCandidate && !this.blocked && !this.leaving;
	}

	/** Tell the candidate that there is no use in waiting, once. */
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
	 * Tell the candidate that it was elected, unless the term has ended by the time its
	 * turn comes.
	 * @param onFailure run if the candidate throws while the term is held
	 */
	void elected(Term term, Runnable onFailure) {
		this.executor.execute(() -> runElected(term, onFailure));
		this.announced = term;
	}

	/** Return whether the candidate has thrown while it was told that the term began. */
	boolean hasFailed(Term term) {
		return this.failed == term;
	}

	/**
	 * Tell the candidate that the term has ended, if it was told of its beginning. Its
	 * thread is interrupted if it is still inside {@code onElected}. May be tried again
	 * if it throws.
	 * @return completed when the candidate has nothing left to do for this term
	 */
	CompletableFuture<Void> defeated(Term term) {
		synchronized (this.lock) {
			this.over = term;
			interruptRunner();
			Defeat current = this.defeat;
			if (current == null || current.term != term) {
				current = new Defeat(term);
				this.defeat = current;
			}
			if (this.leftBehind) {
				current.done.complete(null);
			}
			if (!current.announced) {
				Defeat announced = current;
				this.executor.execute(() -> runDefeated(announced));
				current.announced = true;
			}
			return current.done;
		}
	}

	/** Return whether the candidate was told, or is about to be, that the term ended. */
	boolean isDefeatAnnounced(Term term) {
		Defeat last = this.defeat;
		return last != null && last.term == term && last.announced;
	}

	/** Return whether the candidate has nothing left to do for this term. */
	boolean isDoneWith(Term term) {
		Defeat last = this.defeat;
		return last != null && last.term == term && last.done.isDone();
	}

	private void interruptRunner() {
		if (this.running != null && !this.leftBehind) {
			this.running.interrupt();
		}
	}

	/** Add the thread that is inside a callback. */
	void addCaller(Set<Thread> callers) {
		synchronized (this.lock) {
			if (this.caller != null) {
				callers.add(this.caller);
			}
		}
	}

	/**
	 * Neither wait for the candidate nor interrupt it, if it is one of these threads that
	 * runs it.
	 * @return whether it is
	 */
	boolean leaveBehind(Set<Thread> threads) {
		Defeat untold;
		synchronized (this.lock) {
			if (this.caller == null || !threads.contains(this.caller)) {
				return false;
			}
			this.leftBehind = true;
			untold = this.defeat;
		}
		if (untold != null) {
			untold.done.complete(null);
		}
		return true;
	}

	/** Return whether the candidate has been interrupted and still has not returned. */
	boolean ignoresInterrupt() {
		synchronized (this.lock) {
			return this.running != null && this.over == this.elected && !this.leftBehind;
		}
	}

	/** Do what has failed so far: interrupt, or borrow a thread. */
	void retry(Moment now) {
		synchronized (this.lock) {
			if (this.elected == this.over) {
				interruptRunner();
			}
		}
		this.executor.retry(now);
	}

	/** Begin no further call. One that still blocks is interrupted. */
	void close() {
		Term untold;
		synchronized (this.lock) {
			this.closed = true;
			this.over = (this.elected != null) ? this.elected : this.over;
			interruptRunner();
			untold = this.elected;
		}
		this.executor.close();
		if (untold != null) {
			log.tell((logger) -> LogLines.about(untold, logger.atWarn())
				.log("Candidate {} of election '{}' has not returned in time; it won't be told of its defeat",
						this.candidate, untold.election()));
		}
	}

	private void runElected(Term term, Runnable onFailure) {
		WorkScope scope;
		synchronized (this.lock) {
			// Asked under the lock: a term that ends from now on finds who is inside.
			if (this.closed || this.elected == term || !isCurrent(term)) {
				return;
			}
			// Whatever fails before it counts as told is tried again.
			this.announced = null;
			scope = WorkScope.enter(this);
			this.announced = term;
			this.elected = term;
			this.running = scope;
			this.caller = Thread.currentThread();
		}
		Throwable failure = null;
		boolean current = true;
		long since = 0;
		try {
			since = this.observers.now();
			this.candidate.onElected(term);
		}
		catch (Throwable ex) {
			failure = ex;
			current = isCurrent(term);
			this.failed = current ? term : null;
		}
		finally {
			// The interrupt was meant for this call, not for the next task.
			scope.close();
			left();
		}
		if (failure != null && current) {
			onFailure.run();
		}
		boolean reported = failure != null && (current || !(failure instanceof InterruptedException));
		this.observers.callback(term.election(), EngineObserver.Callback.ELECTED, since, reported);
		if (failure != null && reported) {
			report(term, failure, current);
		}
	}

	private void report(Term term, Throwable failure, boolean current) {
		if (current) {
			log.tell(failure,
					(logger, cause) -> LogLines.about(term, logger.atError())
						.setCause(cause)
						.log("Candidate {} failed when elected in '{}', term {}; it resigns and stands down",
								this.candidate, term.election(), term.term()));
		}
		else {
			log.tell(failure,
					(logger, cause) -> LogLines.about(term, logger.atWarn())
						.setCause(cause)
						.log("Candidate {} failed after its leadership of '{}', term {}, had ended", this.candidate,
								term.election(), term.term()));
		}
	}

	private boolean isCurrent(Term term) {
		return term != this.over && term.isHeld();
	}

	private void left() {
		synchronized (this.lock) {
			this.running = null;
			this.caller = null;
		}
	}

	private void runDefeated(Defeat told) {
		try {
			runDefeated(told.term);
		}
		finally {
			told.done.complete(null);
		}
	}

	private void runDefeated(Term term) {
		synchronized (this.lock) {
			if (this.closed || this.elected != term) {
				return;
			}
			this.elected = null;
			this.caller = Thread.currentThread();
		}
		Throwable failure = null;
		long since = this.observers.now();
		try {
			this.candidate.onDefeated(term);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			left();
		}
		this.observers.callback(term.election(), EngineObserver.Callback.DEFEATED, since, failure != null);
		if (failure != null) {
			log.tell(failure, (logger, cause) -> LogLines.about(term, logger.atError())
				.setCause(cause)
				.log("Candidate {} failed when told that its leadership of '{}', term {}, has ended; it stays a candidate",
						this.candidate, term.election(), term.term()));
		}
	}

	/** The end of a term, to be told to the candidate. */
	private static final class Defeat {

		private final Term term;

		private final CompletableFuture<Void> done = new CompletableFuture<>();

		/** Whether it waits to be told, or was told. */
		private volatile boolean announced;

		Defeat(Term term) {
			this.term = term;
		}

	}

}
