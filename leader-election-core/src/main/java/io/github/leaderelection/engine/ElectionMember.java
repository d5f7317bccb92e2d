package io.github.leaderelection.engine;

import java.util.function.Consumer;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.TermState.Loss;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * This process as a member of one election: keeps its state, and carries out inside the
 * process what follows from it. Changed under the lock of {@link ElectionRegistry} only;
 * {@link #term} and {@link #state} may be read by any thread.
 * <p>
 * What is left to do follows from the state and from what has been done so far. If a step
 * fails, for lack of memory or in code that it calls, it stays pending and is retried
 * {@linkplain #reconcile with the next tick}.
 */
class ElectionMember {

	private final EngineContext context;

	private final ElectionSettings settings;

	private final ElectionProtocol protocol;

	private final OwnSession session;

	private final Candidates candidates;

	private final ListenerNotifier notifier;

	private final Freshness freshness;

	private final Problem damage = new Problem();

	private final Suppressed attempts = new Suppressed();

	/** Whether this process itself is paused, whether or not the election is. */
	private volatile boolean paused;

	/** Whether this process takes part even without a candidate. */
	private boolean pinned;

	private volatile ElectionState state;

	/** Carries out the present term, {@code null} if there is none. */
	private volatile @Nullable TermReconciler reconciler;

	/** Why the last term has ended. */
	private volatile @Nullable LossReason lastLoss;

	private boolean reconciling;

	/** Knows when each member needs attention. */
	private final Agenda<ElectionMember> agenda;

	private final Runnable wake = this::wake;

	/**
	 * Create a member.
	 * @param past what is remembered of the election, {@code null} for nothing
	 */
	ElectionMember(EngineContext context, String election, ElectionSettings settings, ElectionProtocol protocol,
			OwnSession session, Agenda<ElectionMember> agenda, PastElections.@Nullable Past past, Moment now) {
		this.context = context;
		this.settings = settings;
		this.protocol = protocol;
		this.session = session;
		this.agenda = agenda;
		this.candidates = new Candidates(context, this.wake);
		this.notifier = new ListenerNotifier(context, now);
		this.freshness = new Freshness(now);
		this.paused = past != null && past.paused();
		this.state = (past != null) ? protocol.begin(election, past.highestTerm(), past.notBefore(), now)
				: protocol.begin(election, 0, now.nanos(), now);
	}

	/** Something has changed here that needs attention. */
	void attend() {
		this.agenda.rouse(this);
	}

	/** Something that was waited for is done. Called by any thread. */
	void wake() {
		this.agenda.wake(this);
		this.context.wake().run();
	}

	/**
	 * Return whether something can change here without an event: work or callbacks end,
	 * or a retry is due.
	 */
	boolean isChanging() {
		TermState own = this.state.term();
		return (own != null && own.phase() != Phase.LEADING) || (this.state.isOver() && !isWanted())
				|| hasPendingWork();
	}

	EngineContext context() {
		return this.context;
	}

	String election() {
		return this.state.election();
	}

	ElectionSettings settings() {
		return this.settings;
	}

	ElectionProtocol protocol() {
		return this.protocol;
	}

	ElectionState state() {
		return this.state;
	}

	/** Return the session that vouches for leases that are taken here. */
	OwnSession session() {
		return this.session;
	}

	Candidates candidates() {
		return this.candidates;
	}

	/** Return the notifier of listeners. */
	ListenerNotifier notifier() {
		return this.notifier;
	}

	/** Return the record of when the lease was seen. */
	Freshness freshness() {
		return this.freshness;
	}

	/** Return what is wrong with the stored lease, if anything is. */
	Problem damage() {
		return this.damage;
	}

	/** Return the failures that are still to be retried. */
	Suppressed attempts() {
		return this.attempts;
	}

	/**
	 * Return the last term of this process, held or not, {@code null} if there is none or
	 * it has settled.
	 */
	@Nullable Term term() {
		TermReconciler present = this.reconciler;
		return (present != null) ? present.term() : null;
	}

	/** Return why the last term has ended, {@code null} if none has. */
	@Nullable LossReason lastLoss() {
		return this.lastLoss;
	}

	void lastLoss(LossReason reason) {
		this.lastLoss = reason;
	}

	/** Return what to ask the store next, {@code null} for nothing. */
	@Nullable Due next(@Nullable Observation holder, Moment now) {
		return this.protocol.next(this.state, holder, now);
	}

	/**
	 * Return the id of the session that holds the lease this process follows,
	 * {@code null} if there is none.
	 */
	@Nullable String watchedSession() {
		Lease lease = (this.state.follows() && !this.state.isVouchedFor()) ? this.state.presentLease() : null;
		return (lease != null && !isOwn(lease)) ? lease.sessionId() : null;
	}

	/** Return whether this process holds the lease. */
	boolean isOwn(Lease lease) {
		return lease.isHeldBy(this.context.candidateId());
	}

	// What this process wants

	void pin() {
		this.pinned = true;
		attend();
	}

	/** Return whether anyone still has an interest in the election. */
	boolean isWanted() {
		return this.pinned || !this.candidates.areLeaving();
	}

	/** Pause this process until it is resumed, or resume it. */
	void pause(boolean newPaused) {
		this.paused = newPaused;
		attend();
	}

	/** Return whether this process itself is paused, whether or not the election is. */
	boolean isPausedHere() {
		return this.paused;
	}

	/**
	 * Pass on to the state what this process wants.
	 * @param closing how far this process is with closing
	 */
	void update(Closing closing, Moment now) {
		Wish wish = Wish.LEAD;
		if (closing == Closing.CLOSED || !isWanted()) {
			wish = Wish.LEAVE;
		}
		else if (this.paused) {
			wish = Wish.PAUSE;
		}
		else if (closing == Closing.ABOUT_TO) {
			wish = Wish.LEAD_ON;
		}
		if (wish != this.state.wish()) {
			on(ElectionEvent.wished(wish), now);
		}
	}

	void add(Candidate candidate) {
		this.candidates.add(candidate);
		attend();
		if (this.reconciler != null && this.state.isIn(Phase.LEADING)) {
			reconcile();
		}
	}

	/** Let the candidate leave, and tell it of its defeat if it was elected. */
	boolean remove(Candidate candidate) {
		CandidateCallbacks callbacks = this.candidates.find(candidate);
		if (callbacks == null) {
			return false;
		}
		// First, since the rest may fail: it leaves now, or with the present term.
		callbacks.leave();
		attend();
		TermReconciler present = this.reconciler;
		if (present == null) {
			this.candidates.remove(callbacks);
		}
		else if (isWanted() || present.isDefeated()) {
			this.candidates.depart(callbacks);
			reconcile();
		}
		return true;
	}

	/** Return whether a candidate wants to know when there is no use in waiting. */
	boolean contends() {
		return this.candidates.standing().stream().anyMatch(CandidateCallbacks::contends);
	}

	/** Tell the candidates that want to know that there is no use in waiting. */
	void tellBlocked() {
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.contends()) {
				this.attempts.attempt(callbacks::blocked);
			}
		}
	}

	// How it ends

	/** Retry callbacks that found no thread, and forget candidates that have left. */
	void retryCallbacks() {
		this.candidates.forEach(CandidateCallbacks::retry);
		this.notifier.retry();
		this.candidates.forgetDeparted(term());
	}

	/** End for good, with a term that is left. No candidate or listener is told. */
	void abandon() {
		Suppressed last = new Suppressed();
		TermReconciler present = this.reconciler;
		if (present != null) {
			present.abandon(last);
		}
		this.candidates.forEach((callbacks) -> last.attempt(callbacks::close));
		last.attempt(this.notifier::close);
	}

	// What follows

	/** Handle an event: change the state, then do what follows. */
	void on(ElectionEvent event, Moment now) {
		apply(this.protocol.on(this.state, event, now), now);
	}

	/** Change to this state, and do what follows from it. */
	void apply(ElectionState next, Moment now) {
		accept(next, now);
		reconcile();
	}

	/**
	 * Set the state: from now on what is left to do is known, whatever fails.
	 * @return whether it differs from the former state
	 */
	private boolean accept(ElectionState next, Moment now) {
		ElectionState before = this.state;
		// Calls equals on the former state, so that a part that it lacks is not compared:
		// the first comparison of each type of part takes milliseconds to link, and a
		// handover adds types.
		boolean news = !before.equals(next);
		TermState own = next.term();
		this.state = next;
		this.session.use(before, next);
		if (news) {
			attend();
		}
		if (own == null || own.isSettled()) {
			this.reconciler = null;
		}
		if (next.stands() && !before.stands()) {
			this.freshness.expectNext(now);
		}
		Loss loss = (own != null && own.isLost()) ? own.loss() : null;
		TermState former = before.term();
		if (loss != null && (former == null || !former.isLost())) {
			this.freshness.lost(loss.reason());
		}
		return news;
	}

	/** Return whether a step has failed and is still pending. */
	boolean hasPendingWork() {
		return !this.attempts.isEmpty();
	}

	/** Return whether nothing is pending, and no listener waits for a thread. */
	boolean isQuiet() {
		return !hasPendingWork() && !this.notifier.isWaiting();
	}

	/**
	 * Do what follows from the state and has not been done yet. Does not throw: what
	 * fails stays pending.
	 */
	void reconcile() {
		if (this.reconciling) {
			return;
		}
		this.reconciling = true;
		try {
			this.attempts.begin();
			ElectionEvent event = act();
			while (event != null) {
				Moment now = this.context.now();
				event = accept(this.protocol.on(this.state, event, now), now) ? act() : null;
			}
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
		}
		finally {
			this.reconciling = false;
		}
		this.attempts.report(election());
	}

	/** Do what is pending, and return the resulting event, {@code null} for none. */
	private @Nullable ElectionEvent act() {
		ElectionEvent event = null;
		try {
			TermState own = this.state.term();
			if (own != null) {
				TermReconciler present = this.reconciler;
				event = (present != null) ? present.reconcile(own) : begin(own);
			}
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
		}
		this.attempts.attempt(() -> this.notifier.tellLeader(this.state, this::tell));
		return event;
	}

	private @Nullable ElectionEvent begin(TermState own) {
		return switch (own.phase()) {
			case LEADING -> lead(own);
			// No candidate or listener has heard of this term.
			case DRAINING, STOPPING, LINGERING -> ElectionEvent.settled(own.number());
			case RELEASING -> null;
		};
	}

	private @Nullable ElectionEvent lead(TermState own) {
		Deadline deadline = this.session.valid(own.lease());
		if (deadline == null) {
			return ElectionEvent.ended(own.number(), LossReason.EXPIRED);
		}
		TermReconciler begun;
		try {
			begun = new TermReconciler(begin(own, deadline), this);
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
			// Another process may be able to lead, but not while this one has the lease.
			boolean inVain = this.context.now().isDue(own.takenAt() + this.settings.ttl().toNanos());
			return inVain ? ElectionEvent.ended(own.number(), LossReason.EXPIRED) : null;
		}
		this.reconciler = begun;
		return begun.reconcile(own);
	}

	Term begin(TermState own, Deadline deadline) {
		return new Term(this.context, election(), own.number(), deadline, own.validUntil(), this.wake);
	}

	/** Tell the candidate of its defeat. If this throws, it is not told yet. */
	void tellDefeated(CandidateCallbacks callbacks, Term ended) {
		callbacks.defeated(ended);
	}

	/** Tell all listeners. If this throws, none is told yet. */
	void tell(Consumer<ElectionListener> event) {
		this.notifier.tell(event);
	}

	/** How far this process is with closing. */
	enum Closing {

		/** Takes part. */
		NOT_YET,

		/** Is about to close: goes on leading, but takes no further lease. */
		ABOUT_TO,

		/** Has withdrawn from all elections. */
		CLOSED

	}

}
