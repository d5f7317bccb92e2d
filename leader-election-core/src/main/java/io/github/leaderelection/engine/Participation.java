package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.Duties.Duty;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import org.jspecify.annotations.Nullable;

/**
 * The part of this process in one election: keeps its state, and does inside the process
 * what follows from it. Changed under the lock of {@link Elections} only; {@link #term}
 * and {@link #state} may be read by any thread.
 * <p>
 * What is to be done is not read from the steps but from the state, and from what has
 * been done about it before: whatever fails, by lack of memory or by what it calls, is
 * still owed, and tried again {@linkplain #fulfil with the next tick}. It keeps nothing
 * else from being done. What is logged comes last.
 */
class Participation {

	private static final EngineLog log = EngineLog.of(Participation.class);

	private static final Step.Lost EXPIRED = new Step.Lost(LossReason.EXPIRED, false);

	private final Elections elections;

	private final ElectionProtocol protocol;

	private final OwnHeartbeat heartbeat;

	private final List<CandidateCallbacks> candidates = new CopyOnWriteArrayList<>();

	/** Candidates that have left and are being told of their defeat. */
	private final List<CandidateCallbacks> departing = new CopyOnWriteArrayList<>();

	/** What has been done for the present term. */
	private final Duties duties = new Duties();

	private final SerialExecutor notifications;

	/** Whether this process stands aside. */
	private volatile boolean paused;

	/** When the lease was last seen. */
	private volatile @Nullable Moment observedAt;

	/** When the lease was last seen, or began to be looked for. */
	private volatile Moment seenAt;

	/** When the lease is to be looked for again; monotonic time. */
	private volatile long expectedAt;

	/** Why the last term has ended. */
	private volatile @Nullable LossReason lastLoss;

	/** Whether a term of this process has expired and its lease was not seen since. */
	private volatile boolean cutOff;

	/** When candidates were last told of an end, and interrupted. */
	private volatile @Nullable Moment interruptedAt;

	/** Whether this process stands even without a candidate. */
	private boolean pinned;

	private final Damage damage;

	private volatile ElectionState state;

	private volatile @Nullable Term term;

	/** How the lease of the present term was lost, while its work has not ended. */
	private Step.@Nullable Lost lost;

	/** When the lease of the present term was lost, while its work has not ended. */
	private volatile @Nullable Moment lostAt;

	/** When the wait for calls in flight began. */
	private @Nullable Moment drainingSince;

	/** The state from which listeners have heard who leads. */
	private @Nullable ElectionState announced;

	/** The leader of whom listeners have heard. */
	private @Nullable String announcedLeader;

	/** Since when nobody leads as far as is known. */
	private volatile @Nullable Moment leaderlessSince;

	/** The term whose candidates have been told, or are being told, of its end. */
	private @Nullable Term defeated;

	/** The term that does not wait for all of its work, since some waits for the end. */
	private @Nullable Term leftBehind;

	/** When the lease of the present term was taken; monotonic time. */
	private long takenAt;

	private boolean fulfilling;

	Participation(Elections elections, String election, ElectionProtocol protocol, OwnHeartbeat heartbeat, Moment now) {
		this.elections = elections;
		this.protocol = protocol;
		this.heartbeat = heartbeat;
		this.notifications = new SerialExecutor(elections.threads());
		this.damage = new Damage(election, elections.candidateId());
		this.state = protocol.begin(election, now);
		this.leaderlessSince = now;
		this.seenAt = now;
		this.expectedAt = now.nanos();
	}

	ElectionProtocol protocol() {
		return this.protocol;
	}

	ElectionState state() {
		return this.state;
	}

	/** Return what vouches for the leases that are taken here. */
	OwnHeartbeat heartbeat() {
		return this.heartbeat;
	}

	/** Return what was last seen of the heartbeat of whoever holds the lease. */
	@Nullable HeartbeatSighting holder() {
		return this.elections.heartbeats().of(this.state.presentLease());
	}

	/** Return what to ask of the store now. */
	@Nullable Intent intent(Moment now) {
		return this.protocol.intent(this.state, holder(), now);
	}

	/** Return whether it takes more than reading to get on. */
	boolean needsChange(Moment now) {
		return this.protocol.needsChange(this.state, holder(), now);
	}

	/** Return the monotonic time at which to ask again. */
	long wakeAt(Moment now) {
		long at = this.protocol.wakeAt(this.state, holder(), now);
		boolean follows = this.state.standing() && this.state.tenure() == null;
		if (follows && this.heartbeat.belief() == null && at - this.state.nextLook() < 0) {
			// What is there to be taken is taken after the next beat.
			return this.state.nextLook();
		}
		return at;
	}

	/**
	 * Return whether a term of this process is held, or handed over, under its belief.
	 */
	boolean isVouchedFor() {
		Tenure tenure = this.state.tenure();
		return tenure != null && tenure.isOpen();
	}

	/**
	 * Return the term of this process that began last and has not settled yet, held or
	 * not.
	 */
	@Nullable Term term() {
		return this.term;
	}

	void pin() {
		this.pinned = true;
	}

	/** Return whether anyone still has an interest in the election. */
	boolean isWanted() {
		return this.pinned || !this.candidates.stream().allMatch(CandidateCallbacks::isLeaving);
	}

	/** Stand aside until further notice, or no longer. */
	void setPaused(boolean paused) {
		this.paused = paused;
	}

	boolean isPaused() {
		return this.paused;
	}

	/** Return what is wrong with the stored lease, if anything is. */
	Damage damage() {
		return this.damage;
	}

	/** Begin where this process had left the election. */
	void recall(PastElections.Past past, Moment now) {
		this.paused = past.paused();
		apply(Step.to(this.protocol.recall(this.state, past, now)), now);
	}

	/** Lead no further term, and let the work of the present one know that it ends. */
	void prepareClose(Moment now) {
		Term current = this.term;
		if (current != null) {
			current.beginToEnd();
		}
		apply(this.protocol.standNoMore(this.state, now), now);
	}

	/** Add the threads that are inside gated calls and callbacks. */
	void addCallers(Set<Thread> callers) {
		Term current = this.term;
		if (current != null) {
			current.calls().addCallers(callers);
		}
		allCallbacks().forEach((callbacks) -> callbacks.addCaller(callers));
	}

	/** Wait no longer for what these threads are in. */
	void leaveBehind(Set<Thread> threads) {
		Term current = this.term;
		if (current == null) {
			return;
		}
		// Noted at once: what is not waited for must not be followed by a release.
		if (current.calls().leaveBehind(threads)) {
			this.leftBehind = current;
		}
		for (CandidateCallbacks callbacks : allCallbacks().toList()) {
			if (callbacks.leaveBehind(threads)) {
				this.leftBehind = current;
			}
		}
	}

	private Stream<CandidateCallbacks> allCallbacks() {
		return Stream.concat(this.candidates.stream(), this.departing.stream());
	}

	/** The lease has been seen. */
	void observed(Moment now) {
		this.observedAt = now;
		this.cutOff = false;
		expectNext(now);
	}

	/** What was seen has been taken notice of; the next time is not far off. */
	void expectNext(Moment now) {
		this.expectedAt = now.plus(this.protocol.settings().renewInterval().multipliedBy(2)).nanos();
		this.seenAt = now;
	}

	ElectionStatus status(Moment now) {
		ElectionState known = this.state;
		Term current = this.term;
		Moment lost = this.lostAt;
		Moment observed = this.observedAt;
		HeartbeatSighting holder = this.elections.holder(known);
		Duration remaining = known.remaining(holder, now);
		Duration beaten = null;
		Duration leaderless = leaderless(known, holder, now);
		if (current != null && current.isHeld()) {
			remaining = current.remaining();
			beaten = this.heartbeat.sinceConfirmed(now);
			leaderless = Duration.ZERO;
		}
		return new ElectionStatus(known.election(), known.leader(this.elections.candidateId()), role(known, current),
				(current != null) ? current.term() : known.highestTerm(), known.electedAt(), remaining,
				(observed != null) ? since(observed, now) : null, (current != null) ? current.calls().count() : 0,
				this.lastLoss, this.protocol.settings().ttl(), ignoresInterrupt(now),
				(current != null && lost != null) ? since(lost, now) : Duration.ZERO, beaten, leaderless,
				this.cutOff || (isVouchedFor() && this.heartbeat.isOverdue(now)),
				known.isDamaged() ? this.damage.present() : null, unobserved(known, now), components());
	}

	private List<ComponentStatus> components() {
		return this.candidates.stream()
			.map(CandidateCallbacks::candidate)
			.filter(BoundCandidate.class::isInstance)
			.map((candidate) -> ((BoundCandidate) candidate).status())
			.toList();
	}

	/** Return for how long nothing was seen, if something should have been by now. */
	private Duration unobserved(ElectionState known, Moment now) {
		Moment turned = this.elections.lastTurn();
		if (turned == null || !known.standing()) {
			return Duration.ZERO;
		}
		Duration stalled = since(turned, now);
		Duration blind = since(this.seenAt, now);
		ElectionSettings settings = this.protocol.settings();
		Duration patience = settings.operationTimeout().plus(settings.pollInterval());
		boolean expected = now.nanos() - this.expectedAt > patience.toNanos();
		return (expected && blind.compareTo(stalled) > 0) ? blind : stalled;
	}

	/** A candidate needs a moment to return; the safety margin is meant for that. */
	private boolean ignoresInterrupt(Moment now) {
		Moment interrupted = this.interruptedAt;
		return interrupted != null && since(interrupted, now).compareTo(this.protocol.settings().safetyMargin()) >= 0
				&& allCallbacks().anyMatch(CandidateCallbacks::ignoresInterrupt);
	}

	/** Return for how long nobody leads, or who does has been silent for too long. */
	private Duration leaderless(ElectionState known, @Nullable HeartbeatSighting holder, Moment now) {
		Moment since = this.leaderlessSince;
		return (since != null) ? since(since, now) : known.overdue(holder, now);
	}

	private Role role(ElectionState known, @Nullable Term current) {
		if (current == null) {
			return (known.standing() || !this.paused) ? Role.FOLLOWER : Role.PAUSED;
		}
		return (current.isHeld() && !current.isEnding()) ? Role.LEADER : Role.HANDING_OVER;
	}

	private static Duration since(Moment past, Moment now) {
		return Duration.ofNanos(now.nanos() - past.nanos());
	}

	/** Tell what could not be told for want of a thread. */
	void retryCallbacks(Moment now) {
		this.candidates.forEach((callbacks) -> callbacks.retry(now));
		this.departing.forEach((callbacks) -> callbacks.retry(now));
		this.notifications.retry(now);
		forgetDeparted(this.term);
	}

	private void forgetDeparted(@Nullable Term current) {
		this.departing.removeIf((callbacks) -> current == null || callbacks.isDoneWith(current));
	}

	void add(Candidate candidate) {
		CandidateCallbacks callbacks = allCallbacks().filter((each) -> each.candidate() == candidate)
			.findFirst()
			.map(CandidateCallbacks::successor)
			.orElseGet(() -> new CandidateCallbacks(candidate, this.elections.threads(), this.elections.observers()));
		this.candidates.add(callbacks);
		Term current = this.term;
		Tenure tenure = this.state.tenure();
		if (current != null && tenure != null && tenure.phase() == Tenure.Phase.LEADING) {
			fulfil();
		}
	}

	/** Let the candidate go, and tell it of its defeat if it was elected. */
	boolean remove(Candidate candidate) {
		CandidateCallbacks callbacks = find(candidate);
		if (callbacks == null) {
			return false;
		}
		Term current = this.term;
		boolean last = !this.pinned
				&& this.candidates.stream().allMatch((each) -> each == callbacks || each.isLeaving());
		if (current == null) {
			this.candidates.remove(callbacks);
		}
		else if (last && current != this.defeated) {
			// Leadership ends with it: it is told when the calls in flight have ended.
			callbacks.leave();
		}
		else {
			depart(callbacks);
			this.interruptedAt = now();
			fulfil();
		}
		return true;
	}

	private void depart(CandidateCallbacks callbacks) {
		// From then on it is told, even if this fails.
		this.departing.add(callbacks);
		this.candidates.remove(callbacks);
	}

	@Nullable CandidateCallbacks find(Candidate candidate) {
		return this.candidates.stream()
			.filter((each) -> each.candidate() == candidate && !each.isLeaving())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return when listeners have been told of all that has happened so far.
	 * @return completed by the thread that has told them
	 */
	CompletableFuture<Void> listenersTold() {
		CompletableFuture<Void> told = new CompletableFuture<>();
		this.notifications.execute(() -> told.complete(null));
		return told;
	}

	/** End for good: a term that is left ends now, and nobody is told any more. */
	void abandon(LossReason reason) {
		Duties last = new Duties();
		Term current = this.term;
		if (current != null) {
			last.attempt(() -> current.end(reason));
			last.attempt(current.calls()::close);
			last.attempt(current.calls()::lose);
		}
		this.candidates.forEach((callbacks) -> last.attempt(callbacks::close));
		this.departing.forEach((callbacks) -> last.attempt(callbacks::close));
		last.attempt(this.notifications::close);
	}

	/** Take the step: first the new state, then what follows from it. */
	void apply(Step step, Moment now) {
		accept(step, now);
		fulfil();
	}

	/**
	 * From here on it is known what is to be done, whatever fails. Allocates nothing: the
	 * new state and the notes that belong to it come together.
	 */
	private void accept(Step step, Moment now) {
		ElectionState before = this.state;
		this.state = step.state();
		if (this.state.standing() && !before.standing()) {
			expectNext(now);
		}
		Step.Effect effect = step.effect();
		if (isSettled(before, step)) {
			this.term = null;
			this.lost = null;
			this.lostAt = null;
			this.drainingSince = null;
			this.duties.forget();
			this.takenAt = now.nanos();
		}
		if (effect instanceof Step.Drain) {
			this.drainingSince = now;
		}
		if (effect instanceof Step.Lost loss) {
			this.lost = loss;
			this.lostAt = now;
			this.cutOff = loss.reason() == LossReason.EXPIRED;
		}
	}

	/**
	 * Return whether the term before, if there was one, is over and done with. What is
	 * left to do for one that was lost is to give its lease back.
	 */
	private static boolean isSettled(ElectionState before, Step step) {
		Tenure last = before.tenure();
		Tenure next = step.state().tenure();
		boolean lost = last != null && last.phase() == Tenure.Phase.ENDED && next != null
				&& next.phase() == Tenure.Phase.RELEASING;
		boolean left = next != null && next.phase() == Tenure.Phase.LEFT;
		return next == null || lost || left || step.effect() instanceof Step.Elected;
	}

	/** Return whether something that had to be done has failed, and is still owed. */
	boolean owes() {
		return this.duties.haveFailed();
	}

	/** Return whether everybody has heard of everything. */
	boolean isQuiet() {
		return !owes() && !this.notifications.isWaiting();
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
			this.duties.begin();
			Step next = follow();
			while (next != null) {
				accept(next, this.elections.clock().now());
				next = follow();
			}
		}
		catch (Throwable ex) {
			this.duties.failed(ex);
		}
		finally {
			this.fulfilling = false;
		}
		this.duties.report(this.state.election());
	}

	/** Return the step that follows once everything is done, if there is one. */
	private @Nullable Step follow() {
		Tenure tenure = this.state.tenure();
		Step next = null;
		try {
			if (tenure != null) {
				next = switch (tenure.phase()) {
					case LEADING -> lead(tenure);
					case DRAINING -> drain(tenure);
					case ENDED -> end(tenure);
					case RELEASING, LEFT -> null;
				};
			}
		}
		catch (Throwable ex) {
			this.duties.failed(ex);
		}
		this.duties.attempt(this::tellLeader);
		return next;
	}

	private @Nullable Step lead(Tenure tenure) {
		Term current = this.term;
		if (current == null) {
			Belief belief = this.heartbeat.belief();
			if (belief == null || belief.epoch() != tenure.lease().epoch()) {
				return this.protocol.lapsed(this.state, tenure.term(), now());
			}
			try {
				current = begin(tenure, belief);
				current.sureUntil(tenure.sureUntil());
			}
			catch (Throwable ex) {
				this.duties.failed(ex);
				// Others may be able to, and can't as long as the lease is kept here.
				return hasWaitedInVain(now()) ? this.protocol.lapsed(this.state, tenure.term(), now()) : null;
			}
			this.term = current;
		}
		Term led = current;
		if (!this.state.standing()) {
			led.beginToEnd();
		}
		for (CandidateCallbacks callbacks : this.candidates) {
			if (callbacks.isLeaving()) {
				this.duties.attempt(() -> departIfWanted(callbacks));
			}
		}
		tellDeparted(led);
		for (CandidateCallbacks callbacks : this.candidates) {
			if (!callbacks.isAnnounced(led) && !isToBeToldFirst(callbacks.candidate(), led)) {
				this.duties.attempt(() -> callbacks.elected(led, this.elections::wake));
			}
		}
		this.duties.once(Duty.TELL_ELECTED, () -> tell((listener) -> listener.onElected(led)));
		this.duties.once(Duty.LOG_ELECTED, () -> log.tell((logger) -> LogLines.about(led, logger.atInfo())
			.log("Elected: this instance leads '{}' in term {}", led.election(), led.term())));
		if (!led.isHeld()) {
			return lapsed(led);
		}
		led.sureUntil(tenure.sureUntil());
		return hasFailed(led) ? this.protocol.resign(this.state, LossReason.CALLBACK_FAILED, now()) : null;
	}

	/**
	 * The term was to end with the last candidate, but others have come before it could.
	 */
	private void departIfWanted(CandidateCallbacks callbacks) {
		if (isWanted()) {
			depart(callbacks);
			this.interruptedAt = now();
		}
	}

	/** Return whether the candidate is back before it could be told that it has left. */
	private boolean isToBeToldFirst(Candidate candidate, Term led) {
		for (CandidateCallbacks callbacks : this.departing) {
			if (callbacks.candidate() == candidate && !callbacks.isDefeatAnnounced(led)) {
				return true;
			}
		}
		return false;
	}

	private boolean hasWaitedInVain(Moment now) {
		return now.nanos() - this.takenAt >= this.protocol.settings().ttl().toNanos();
	}

	Term begin(Tenure tenure, Belief belief) {
		return new Term(this.state.election(), this.elections.leaseId(this.state.election()),
				this.elections.candidateId(), tenure.term(), belief, this.elections.clock(), this.elections.threads(),
				this.elections.observers());
	}

	private boolean hasFailed(Term led) {
		for (CandidateCallbacks callbacks : this.candidates) {
			if (callbacks.hasFailed(led)) {
				return true;
			}
		}
		return false;
	}

	/** The belief that the term stands and falls with is over, whoever has noticed. */
	private Step lapsed(Term current) {
		return (current.lossReason().orElse(null) == LossReason.TAKEN_OVER) ? this.protocol.orphaned(this.state, now())
				: this.protocol.lapsed(this.state, current.term(), now());
	}

	private @Nullable Step drain(Tenure tenure) {
		Term current = this.term;
		LossReason reason = Objects.requireNonNullElse(tenure.reason(), LossReason.RESIGNED);
		if (current == null) {
			// Nobody has heard of it.
			return this.protocol.settled(this.state, tenure.term(), now());
		}
		current.beginToEnd();
		tellDeparted(current);
		if (endBound(current)) {
			this.duties.once(Duty.CLOSE, current.calls()::close);
		}
		this.duties.once(Duty.AWAIT_DRAIN, () -> wakeWhen(current.calls().drained()));
		this.duties.once(Duty.LOG_DRAIN,
				() -> log.tell((logger) -> LogLines.about(current, logger.atInfo())
					.addKeyValue("reason", reason)
					.log("Handing over '{}', term {}: {}; waiting for calls in flight: {}", current.election(),
							current.term(), reason, current.calls().count())));
		if (current.hasLapsed()) {
			return lapsed(current);
		}
		current.sureUntil(tenure.sureUntil());
		if (current.calls().isDrained()) {
			endDrain(current, true);
			return defeat(current, reason);
		}
		return null;
	}

	/**
	 * Let what works by itself come to its end, while its gated calls are still let in: a
	 * listener may be in the middle of a message.
	 * @return whether it has ended
	 */
	private boolean endBound(Term current) {
		boolean ended = true;
		for (CandidateCallbacks callbacks : this.candidates) {
			if (callbacks.isBound()) {
				if (!callbacks.isDefeatAnnounced(current)) {
					this.interruptedAt = now();
				}
				tellDefeated(callbacks, current);
				ended &= callbacks.isDoneWith(current);
			}
		}
		return ended;
	}

	private void endDrain(Term current, boolean complete) {
		Moment since = this.drainingSince;
		EngineObservers observers = this.elections.observers();
		if (since == null || observers.isEmpty()) {
			return;
		}
		this.duties.once(Duty.OBSERVE_DRAIN, () -> {
			long nanos = now().nanos() - since.nanos();
			this.notifications.execute(() -> observers.drain(current.election(), nanos, complete));
		});
	}

	private @Nullable Step end(Tenure tenure) {
		Term current = this.term;
		if (current == null) {
			// Nobody has heard of it.
			return this.protocol.settled(this.state, tenure.term(), now());
		}
		Step.Lost how = Objects.requireNonNullElse(this.lost, EXPIRED);
		current.end(how.reason());
		boolean news = current != this.defeated;
		int inFlight = lose(current);
		endDrain(current, false);
		Step next = defeat(current, how.reason());
		this.duties.once(Duty.LOG_LOST, () -> logLost(current, how, news, inFlight));
		return next;
	}

	/** Return how many calls were in flight, the first time. */
	private int lose(Term current) {
		try {
			return current.calls().lose();
		}
		catch (Throwable ex) {
			this.duties.failed(ex);
			return 0;
		}
	}

	private void logLost(Term current, Step.Lost how, boolean news, int inFlight) {
		if (how.drainTimedOut()) {
			log.tell((logger) -> LogLines.about(current, logger.atWarn())
				.addKeyValue("reason", how.reason())
				.log("Work under '{}', term {}, did not end within {}; it is interrupted, and the lease kept for another TTL",
						current.election(), current.term(), this.protocol.settings().drainTimeout()));
		}
		else if (news) {
			log.tell((logger) -> LogLines.about(current, logger.atWarn())
				.addKeyValue("reason", how.reason())
				.log("Lost leadership of '{}', term {}: {}; calls in flight: {}; this instance stands again "
						+ "when they have ended", current.election(), current.term(), how.reason(), inFlight));
		}
	}

	/** End the term, tell the candidates, and settle when they and all calls are done. */
	private @Nullable Step defeat(Term current, LossReason reason) {
		if (current != this.defeated) {
			this.defeated = current;
			this.interruptedAt = now();
		}
		current.end(reason);
		this.lastLoss = current.lossReason().orElse(reason);
		for (CandidateCallbacks callbacks : this.candidates) {
			if (callbacks.isLeaving()) {
				this.duties.attempt(() -> depart(callbacks));
			}
			tellDefeated(callbacks, current);
		}
		tellDeparted(current);
		if (this.duties.isDone(Duty.TELL_ELECTED)) {
			this.duties.once(Duty.TELL_DEFEATED, () -> tell((listener) -> listener.onDefeated(current)));
		}
		this.duties.once(Duty.CLOSE, current.calls()::close);
		this.duties.once(Duty.AWAIT_DRAIN, () -> wakeWhen(current.calls().drained()));
		forgetDeparted(current);
		boolean told = !this.duties.isDone(Duty.TELL_ELECTED) || this.duties.isDone(Duty.TELL_DEFEATED);
		boolean done = told && current.calls().isDrained() && this.departing.isEmpty()
				&& this.candidates.stream().allMatch((callbacks) -> callbacks.isDoneWith(current));
		return done ? settle(current) : null;
	}

	private Step settle(Term ended) {
		if (ended != this.leftBehind) {
			return this.protocol.settled(this.state, ended.term(), now());
		}
		Step last = this.protocol.settledButForClosers(this.state, ended.term(), now());
		this.duties.once(Duty.LOG_LEFT_BEHIND, () -> log.tell((logger) -> LogLines.about(ended, logger.atWarn())
			.log("Leader election is closed from inside work under '{}', term {}: it does not wait for that work, and "
					+ "the lease is left to expire", ended.election(), ended.term())));
		return last;
	}

	/** Candidates that leave are told while the term goes on, or has ended before. */
	private void tellDeparted(Term current) {
		for (CandidateCallbacks callbacks : this.departing) {
			tellDefeated(callbacks, current);
		}
	}

	private void tellDefeated(CandidateCallbacks callbacks, Term current) {
		if (!callbacks.isDefeatAnnounced(current)) {
			this.duties.attempt(() -> beginToTell(callbacks, current));
		}
	}

	/** Tell the candidate of its defeat, or not yet if this throws. */
	void beginToTell(CandidateCallbacks callbacks, Term ended) {
		wakeWhen(callbacks.defeated(ended));
	}

	private void wakeWhen(CompletableFuture<Void> stage) {
		CompletableFuture<Void> unused = stage.thenRun(this.elections::wake);
	}

	// What has not been replaced is the same: to compare it by value could fail.
	@SuppressWarnings("ReferenceEquality")
	private void tellLeader() {
		ElectionState known = this.state;
		ElectionState last = this.announced;
		if (last != null && known.sighting() == last.sighting() && known.tenure() == last.tenure()) {
			return;
		}
		String before = this.announcedLeader;
		String leader = known.leader(this.elections.candidateId());
		if (!Objects.equals(before, leader)) {
			tell((listener) -> listener.onLeaderChanged(known.election(), before, leader));
			this.announcedLeader = leader;
			this.leaderlessSince = (leader == null) ? now() : null;
		}
		this.announced = known;
	}

	private Moment now() {
		return this.elections.clock().now();
	}

	/** Tell all listeners, or none yet if this throws. */
	void tell(Consumer<ElectionListener> event) {
		if (this.elections.listeners().isEmpty()) {
			return;
		}
		this.notifications.execute(() -> this.elections.listeners().forEach((listener) -> tell(listener, event)));
	}

	private static void tell(ElectionListener listener, Consumer<ElectionListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			log.tell(ex,
					(logger, cause) -> logger.error("A leader election callback failed; it changes nothing", cause));
		}
	}

}
