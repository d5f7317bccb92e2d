package io.github.leaderelection.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import io.github.leaderelection.Candidate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one candidate of its terms: in order, balanced, and never on the caller's thread.
 */
final class CandidateCallbacks {

	private static final Logger logger = LoggerFactory.getLogger(CandidateCallbacks.class);

	/** The candidate whose {@code onElected} the current thread is inside. */
	private static final ThreadLocal<@Nullable CandidateCallbacks> RUNNING = new ThreadLocal<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Candidate candidate;

	private final SerialExecutor executor;

	private final EngineObservers observers;

	/** The last term the candidate was told of, until it is told of its end. */
	private @Nullable Term elected;

	/** The thread inside {@code onElected}. */
	private @Nullable Thread runner;

	private volatile boolean interrupted;

	private boolean closed;

	/** The last term whose end was announced, for this candidate or for all. */
	private @Nullable Term over;

	private volatile boolean leaving;

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

	/** Let this candidate go as soon as the current term has ended. */
	void leave() {
		this.leaving = true;
	}

	boolean isLeaving() {
		return this.leaving;
	}

	/**
	 * Tell the candidate that it was elected, unless the term has ended by the time its
	 * turn comes.
	 * @param onFailure run if the candidate throws while the term is held
	 */
	void elected(Term term, Runnable onFailure) {
		this.executor.execute(() -> runElected(term, onFailure));
	}

	/**
	 * Tell the candidate that the term has ended, if it was told of its beginning. Its
	 * thread is interrupted if it is still inside {@code onElected}.
	 * @return completed when the candidate has nothing left to do for this term
	 */
	CompletableFuture<Void> defeated(Term term) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.lock.lock();
		try {
			this.over = term;
			interruptRunner();
		}
		finally {
			this.lock.unlock();
		}
		this.executor.execute(() -> {
			try {
				runDefeated(term);
			}
			finally {
				done.complete(null);
			}
		});
		return done;
	}

	private void interruptRunner() {
		if (this.runner != null) {
			this.interrupted = true;
			this.runner.interrupt();
		}
	}

	/** Return whether the candidate has been interrupted and still has not returned. */
	boolean ignoresInterrupt() {
		this.lock.lock();
		try {
			return this.runner != null && this.interrupted;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Interrupt the current thread again if it runs a candidate that has been
	 * interrupted: there is one flag for that candidate and the gated calls it makes.
	 */
	static void repeatInterrupt() {
		CandidateCallbacks running = RUNNING.get();
		if (running != null && running.interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Borrow a thread for what waits for one, if there was none before. */
	void retry() {
		this.executor.retry();
	}

	/** Begin no further call. One that still blocks is interrupted. */
	void close() {
		this.executor.close();
		Term untold;
		this.lock.lock();
		try {
			this.closed = true;
			interruptRunner();
			untold = this.elected;
		}
		finally {
			this.lock.unlock();
		}
		if (untold != null) {
			LogLines.about(untold, logger.atWarn())
				.log("Candidate {} of election '{}' has not returned in time; it won't be told of its defeat",
						this.candidate, untold.election());
		}
	}

	private void runElected(Term term, Runnable onFailure) {
		this.lock.lock();
		try {
			// Asked under the lock: a term that ends from now on finds the runner.
			if (this.closed || !isCurrent(term)) {
				return;
			}
			this.elected = term;
			this.runner = Thread.currentThread();
			this.interrupted = false;
		}
		finally {
			this.lock.unlock();
		}
		RUNNING.set(this);
		boolean failed = false;
		long since = this.observers.now();
		try {
			this.candidate.onElected(term);
		}
		catch (Throwable ex) {
			boolean current = isCurrent(term);
			failed = current || !(ex instanceof InterruptedException);
			if (current) {
				LogLines.about(term, logger.atError())
					.setCause(ex)
					.log("Candidate {} failed when elected in '{}', term {}; it resigns and stands down",
							this.candidate, term.election(), term.term());
				onFailure.run();
			}
			else if (failed) {
				LogLines.about(term, logger.atWarn())
					.setCause(ex)
					.log("Candidate {} failed after its leadership of '{}', term {}, had ended", this.candidate,
							term.election(), term.term());
			}
		}
		finally {
			leaveElected();
			this.observers.callback(term.election(), EngineObserver.Callback.ELECTED, since, failed);
		}
	}

	private boolean isCurrent(Term term) {
		this.lock.lock();
		try {
			return term != this.over && term.isHeld();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void leaveElected() {
		this.lock.lock();
		try {
			this.runner = null;
			RUNNING.remove();
			// The interrupt was meant for this call, not for the next task.
			Thread.interrupted();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void runDefeated(Term term) {
		this.lock.lock();
		try {
			if (this.closed || this.elected != term) {
				return;
			}
			this.elected = null;
		}
		finally {
			this.lock.unlock();
		}
		boolean failed = false;
		long since = this.observers.now();
		try {
			this.candidate.onDefeated(term);
		}
		catch (Throwable ex) {
			failed = true;
			LogLines.about(term, logger.atError())
				.setCause(ex)
				.log("Candidate {} failed when told that its leadership of '{}', term {}, has ended; it stays a candidate",
						this.candidate, term.election(), term.term());
		}
		finally {
			this.observers.callback(term.election(), EngineObserver.Callback.DEFEATED, since, failed);
		}
	}

}
