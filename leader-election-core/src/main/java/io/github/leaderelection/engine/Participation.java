package io.github.leaderelection.engine;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ElectionProtocol.Transition;
import io.github.leaderelection.engine.TermState.Loss;
import io.github.leaderelection.engine.TermState.Phase;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The part of this process in one election: keeps its state, and does inside the process
 * what follows from it. Changed under the lock of {@link Elections} only; {@link #term}
 * and {@link #state} may be read by any thread.
 * <p>
 * What is to be done is read from the state, and from what has been done about it before:
 * whatever fails, by lack of memory or by what it calls, is still owed, and tried again
 * {@linkplain #fulfil with the next tick}.
 */
class Participation {

	private final EngineContext context;

	private final ElectionProtocol protocol;

	private final OwnSession session;

	private final Candidates candidates;

	private final LeaderNews news;

	private final LeaseObservation observation;

	private final Damage damage;

	private final Suppressed attempts = new Suppressed();

	private final Setbacks setbacks;

	/** Whether this process stands aside. */
	private volatile boolean paused;

	/** Whether nobody may lead. */
	private volatile boolean suspended;

	/** When that was shown. */
	private @Nullable Moment suspendedAt;

	/** Whether this process stands even without a candidate. */
	private boolean pinned;

	private volatile ElectionState state;

	/** What is done for the present term, {@code null} if nothing is. */
	private volatile @Nullable TermDuties duties;

	/** Why the last term has ended. */
	private volatile @Nullable LossReason lastLoss;

	private boolean fulfilling;

	/** Lets attention be paid to this from now on. */
	private Runnable rouse = () -> {
	};

	/** Lets attention be paid to this with the next turn; may be run by any thread. */
	private volatile Runnable waker = () -> {
	};

	Participation(EngineContext context, String election, ElectionProtocol protocol, OwnSession session, Moment now) {
		this.context = context;
		this.protocol = protocol;
		this.session = session;
		this.candidates = new Candidates(context, this::wake);
		this.news = new LeaderNews(context, now);
		this.observation = new LeaseObservation(protocol.settings(), now);
		this.damage = new Damage(election, context.candidateId());
		this.setbacks = new Setbacks(protocol.settings());
		this.state = protocol.begin(election, now);
	}

	/**
	 * Set what lets attention be paid to this.
	 * @param newRouse from now on
	 * @param newWaker with the next turn; may be run by any thread
	 */
	void onChange(Runnable newRouse, Runnable newWaker) {
		this.rouse = newRouse;
		this.waker = newWaker;
	}

	/** Something has changed here: let attention be paid to it. */
	void attend() {
		this.rouse.run();
	}

	/** Something has been done that was waited for. Called by any thread. */
	void wake() {
		this.waker.run();
		this.context.wake().run();
	}

	/**
	 * Return whether something may change here without a word: work and callbacks come to
	 * their end.
	 */
	boolean isChanging() {
		TermState own = this.state.term();
		return (own != null && own.phase() != TermState.Phase.LEADING && own.phase() != TermState.Phase.LEFT)
				|| (this.state.isOver() && !isWanted());
	}

	EngineContext context() {
		return this.context;
	}

	ElectionProtocol protocol() {
		return this.protocol;
	}

	ElectionState state() {
		return this.state;
	}

	/** Return what vouches for the leases that are taken here. */
	OwnSession session() {
		return this.session;
	}

	Candidates candidates() {
		return this.candidates;
	}

	/** Return what listeners hear. */
	LeaderNews news() {
		return this.news;
	}

	/** Return when the lease was seen. */
	LeaseObservation observation() {
		return this.observation;
	}

	/** Return what is wrong with the stored lease, if anything is. */
	Damage damage() {
		return this.damage;
	}

	/** Return what has been attempted, and may have failed. */
	Suppressed attempts() {
		return this.attempts;
	}

	/** Return how often in a row a change of the lease has failed. */
	Setbacks setbacks() {
		return this.setbacks;
	}

	/**
	 * Return the term of this process that began last and has not settled yet, held or
	 * not.
	 */
	@Nullable Term term() {
		TermDuties present = this.duties;
		return (present != null) ? present.term() : null;
	}

	/** Return why the last term has ended, {@code null} if none has. */
	@Nullable LossReason lastLoss() {
		return this.lastLoss;
	}

	void lastLoss(LossReason reason) {
		this.lastLoss = reason;
	}

	/**
	 * Return the monotonic time at which to ask again what is wanted of the store.
	 * @param holder what was last seen of the session of whoever holds the lease
	 */
	long wakeAt(@Nullable SessionSighting holder, Moment now) {
		long at = this.protocol.wakeAt(this.state, holder, now);
		boolean follows = this.state.standing() && this.state.term() == null;
		if (follows && this.session.belief() == null && at - this.state.nextLook() < 0) {
			// What is there to be taken is taken after the next renewal.
			return this.state.nextLook();
		}
		return at;
	}

	/**
	 * Return whether a term of this process is held, or handed over, under its belief.
	 */
	boolean isVouchedFor() {
		TermState own = this.state.term();
		return own != null && own.isOpen();
	}

	void pin() {
		this.pinned = true;
		attend();
	}

	/** Return whether anyone still has an interest in the election. */
	boolean isWanted() {
		return this.pinned || !this.candidates.isLast(null);
	}

	/** Stand aside until further notice, or no longer. */
	void setPaused(boolean paused) {
		this.paused = paused;
		attend();
	}

	/** Return whether this process stands aside, by itself or with all others. */
	boolean isPaused() {
		return this.paused || this.suspended;
	}

	/** Return whether this process was told to stand aside, whatever others do. */
	boolean isPausedHere() {
		return this.paused;
	}

	/** Note whether nobody may lead, as was shown at the given time. */
	void setSuspended(boolean suspended, Moment shownAt) {
		this.suspended = suspended;
		this.suspendedAt = shownAt;
		attend();
	}

	/**
	 * Return whether what has shown that somebody may lead, or nobody, is of a later
	 * time.
	 */
	boolean hasSuspendedSince(Moment time) {
		Moment at = this.suspendedAt;
		return at != null && time.nanos() - at.nanos() < 0;
	}

	/** Return whether nobody may lead, as far as was seen. */
	boolean isSuspended() {
		return this.suspended;
	}

	/** Begin where this process had left the election. */
	void recall(PastElections.Past past, Moment now) {
		this.paused = past.paused();
		apply(this.protocol.recall(this.state, past, now), now);
	}

	/** Lead no further term, and let the work of the present one know that it ends. */
	void prepareClose(Moment now) {
		Term current = term();
		if (current != null) {
			current.beginToEnd();
		}
		move(ElectionProtocol::standNoMore, now);
	}

	/** Add the threads that are inside gated calls and callbacks. */
	void addCallers(Set<Thread> callers) {
		Term current = term();
		if (current != null) {
			current.calls().addCallers(callers);
		}
		this.candidates.addCallers(callers);
	}

	/** Wait no longer for what these threads are in. */
	void leaveBehind(Set<Thread> threads) {
		TermDuties present = this.duties;
		if (present != null) {
			present.leaveBehind(threads);
		}
	}

	/** Tell what could not be told for want of a thread. */
	void retryCallbacks() {
		this.candidates.forEach(CandidateCallbacks::retry);
		this.news.retry();
		this.candidates.forgetDeparted(term());
	}

	void add(Candidate candidate) {
		this.candidates.add(candidate);
		attend();
		if (this.duties != null && this.state.isIn(Phase.LEADING)) {
			fulfil();
		}
	}

	/** Return whether a candidate wants to know when there is no use in waiting. */
	boolean contends() {
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.contends()) {
				return true;
			}
		}
		return false;
	}

	/** Tell those who want to know that there is no use in waiting. */
	void tellBlocked() {
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.contends()) {
				this.attempts.attempt(callbacks::blocked);
			}
		}
	}

	/** Let the candidate go, and tell it of its defeat if it was elected. */
	boolean remove(Candidate candidate) {
		CandidateCallbacks callbacks = this.candidates.find(candidate);
		if (callbacks == null) {
			return false;
		}
		// Noted before anything that may fail: it leaves now, or with the present term.
		callbacks.leave();
		attend();
		TermDuties present = this.duties;
		if (present == null) {
			this.candidates.remove(callbacks);
		}
		else if (this.pinned || !this.candidates.isLast(callbacks) || present.isDefeated()) {
			this.candidates.depart(callbacks);
			fulfil();
		}
		return true;
	}

	/** End for good: a term that is left ends now, and nobody is told any more. */
	void abandon(LossReason reason) {
		Suppressed last = new Suppressed();
		TermDuties present = this.duties;
		if (present != null) {
			present.abandon(reason, last);
		}
		this.candidates.forEach((callbacks) -> last.attempt(callbacks::close));
		last.attempt(this.news::close);
	}

	/** Let the state change. */
	void move(Transition transition, Moment now) {
		apply(transition.next(this.protocol, this.state, now), now);
	}

	/** Let this be the state: first it, then what follows from it. */
	void apply(ElectionState next, Moment now) {
		accept(next, now);
		fulfil();
	}

	/**
	 * From here on it is known what is to be done, whatever fails. Allocates nothing: the
	 * new state and the notes that belong to it come together.
	 */
	private void accept(ElectionState next, Moment now) {
		ElectionState before = this.state;
		TermState own = next.term();
		this.state = next;
		if (!next.equals(before)) {
			attend();
		}
		if (own == null || own.isSettled()) {
			this.duties = null;
		}
		if (next.standing() && !before.standing()) {
			this.observation.expectNext(now);
		}
		Loss loss = (own != null && own.isLost()) ? own.loss() : null;
		TermState former = before.term();
		if (loss != null && (former == null || !former.isLost())) {
			this.observation.lost(loss.reason());
		}
		Lease seen = next.presentLease();
		Lease last = before.presentLease();
		if (seen != null && (last == null || !seen.isSameRevisionAs(last))) {
			// Somebody could change it.
			this.setbacks.forget();
		}
	}

	/** Return whether something that had to be done has failed, and is still owed. */
	boolean owes() {
		return !this.attempts.isEmpty();
	}

	/** Return whether everybody has heard of everything. */
	boolean isQuiet() {
		return !owes() && !this.news.isWaiting();
	}

	/**
	 * Do what follows from the state and has not been done yet. Throws nothing: what
	 * fails is owed.
	 */
	void fulfil() {
		if (this.fulfilling) {
			return;
		}
		this.fulfilling = true;
		try {
			this.attempts.begin();
			ElectionState next = follow();
			while (next != null) {
				accept(next, this.context.now());
				next = follow();
			}
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
		}
		finally {
			this.fulfilling = false;
		}
		this.attempts.report(this.state.election());
	}

	/** Return the state that follows once everything is done, if there is one. */
	private @Nullable ElectionState follow() {
		ElectionState next = null;
		try {
			TermState own = this.state.term();
			if (own != null) {
				TermDuties present = this.duties;
				next = (present != null) ? present.fulfil(own) : begin(own);
			}
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
		}
		this.attempts.attempt(() -> this.news.tellLeader(this.state, this::tell));
		return next;
	}

	private @Nullable ElectionState begin(TermState own) {
		return switch (own.phase()) {
			case LEADING -> lead(own);
			// Nobody has heard of it.
			case DRAINING, STOPPING, LINGERING ->
				this.protocol.settled(this.state, own.number(), false, this.context.now());
			case RELEASING, LEFT -> null;
		};
	}

	private @Nullable ElectionState lead(TermState own) {
		Belief belief = this.session.belief();
		if (belief == null || belief.session() != own.lease().session()) {
			return this.protocol.lapsed(this.state, own.number(), this.context.now());
		}
		TermDuties begun;
		try {
			begun = new TermDuties(begin(own, belief), this);
			begun.term().sureUntil(own.sureUntil());
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
			Moment now = this.context.now();
			// Others may be able to, and can't as long as the lease is kept here.
			boolean inVain = now.nanos() - own.takenAt() >= this.protocol.settings().ttl().toNanos();
			return inVain ? this.protocol.lapsed(this.state, own.number(), now) : null;
		}
		this.duties = begun;
		return begun.fulfil(own);
	}

	Term begin(TermState own, Belief belief) {
		String election = this.state.election();
		return new Term(election, this.context.store().leaseId(election), this.context.candidateId(), own.number(),
				belief, this.context.clock(), this.context.threads(), this.context.observers());
	}

	/** Wake when this is done. */
	void wakeWhen(CompletableFuture<Void> stage) {
		CompletableFuture<Void> unused = stage.thenRun(this::wake);
	}

	/** Tell the candidate of its defeat, or not yet if this throws. */
	void beginToTell(CandidateCallbacks callbacks, Term ended) {
		callbacks.defeated(ended);
	}

	/** Tell all listeners, or none yet if this throws. */
	void tell(Consumer<ElectionListener> event) {
		this.news.tell(event);
	}

}
