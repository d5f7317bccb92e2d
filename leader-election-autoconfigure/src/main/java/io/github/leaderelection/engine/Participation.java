package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of this process in one election: keeps its state, and does inside the process
 * what each step of the protocol asks for. Changed under the lock of {@link Elections}
 * only; {@link #term} and {@link #state} may be read by any thread.
 */
final class Participation {

	private static final Logger logger = LoggerFactory.getLogger(Participation.class);

	private final Elections elections;

	private final ElectionProtocol protocol;

	private final List<CandidateCallbacks> candidates = new CopyOnWriteArrayList<>();

	/** Candidates that have left and are being told of their defeat. */
	private final List<CandidateCallbacks> departing = new CopyOnWriteArrayList<>();

	/** Completed when candidates that left during the current term have been told. */
	private final List<CompletableFuture<Void>> departures = new ArrayList<>();

	private final SerialExecutor notifications;

	/** Whether this process stands aside. */
	private volatile boolean paused;

	/** When the lease was last seen. */
	private volatile @Nullable Moment observedAt;

	/** Why the last term has ended. */
	private volatile @Nullable LossReason lastLoss;

	/** Whether a lease of this process has run out and was not seen since. */
	private volatile boolean cutOff;

	/** When candidates were last told of an end, and interrupted. */
	private volatile @Nullable Moment interruptedAt;

	/** Whether this process stands even without a candidate. */
	private boolean pinned;

	private volatile ElectionState state;

	private volatile @Nullable Term term;

	/** When the lease of the present term was lost, while its work has not ended. */
	private volatile @Nullable Moment lostAt;

	/** When the wait for calls in flight began, while it goes on. */
	private @Nullable Moment drainingSince;

	/** Since when nobody leads as far as is known. */
	private volatile @Nullable Moment leaderlessSince;

	/** The term whose candidates have been told, or are being told, of its end. */
	private @Nullable Term defeated;

	Participation(Elections elections, String election, ElectionProtocol protocol, Moment now) {
		this.elections = elections;
		this.protocol = protocol;
		this.notifications = new SerialExecutor(elections.threads());
		this.state = protocol.begin(election, now);
		this.leaderlessSince = now;
	}

	ElectionProtocol protocol() {
		return this.protocol;
	}

	ElectionState state() {
		return this.state;
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

	/** The lease has been seen. */
	void observed(Moment now) {
		this.observedAt = now;
		this.cutOff = false;
	}

	ElectionStatus status(Moment now) {
		ElectionState known = this.state;
		Term current = this.term;
		Moment lost = this.lostAt;
		Moment observed = this.observedAt;
		Duration remaining = known.remaining(now);
		Duration renewed = null;
		Duration leaderless = leaderless(known, now);
		if (current != null && current.isHeld()) {
			remaining = current.remaining();
			renewed = this.protocol.belief().minus(remaining);
			leaderless = Duration.ZERO;
		}
		return new ElectionStatus(known.election(), known.leader(this.elections.candidateId()), role(known, current),
				(current != null) ? current.term() : known.highestTerm(), known.electedAt(), remaining,
				(observed != null) ? since(observed, now) : null, (current != null) ? current.calls().count() : 0,
				this.lastLoss, this.protocol.settings().ttl(), ignoresInterrupt(now),
				(current != null && lost != null) ? since(lost, now) : Duration.ZERO, renewed, leaderless,
				this.cutOff || this.protocol.isOverdue(known, now));
	}

	/** A candidate needs a moment to return; the safety margin is meant for that. */
	private boolean ignoresInterrupt(Moment now) {
		Moment interrupted = this.interruptedAt;
		return interrupted != null && since(interrupted, now).compareTo(this.protocol.settings().safetyMargin()) >= 0
				&& Stream.concat(this.candidates.stream(), this.departing.stream())
					.anyMatch(CandidateCallbacks::ignoresInterrupt);
	}

	/** Return for how long nobody leads, or can lead by a lease that has run out. */
	private Duration leaderless(ElectionState known, Moment now) {
		Moment since = this.leaderlessSince;
		return (since != null) ? since(since, now) : known.overdue(now);
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
	void retryCallbacks() {
		this.candidates.forEach(CandidateCallbacks::retry);
		this.departing.forEach(CandidateCallbacks::retry);
		this.notifications.retry();
	}

	void add(Candidate candidate) {
		CandidateCallbacks callbacks = this.departing.stream()
			.filter((each) -> each.candidate() == candidate)
			.findFirst()
			.map(CandidateCallbacks::successor)
			.orElseGet(() -> new CandidateCallbacks(candidate, this.elections.threads(), this.elections.observers()));
		this.candidates.add(callbacks);
		Term current = this.term;
		Tenure tenure = this.state.tenure();
		if (current != null && tenure != null && tenure.phase() == Tenure.Phase.LEADING) {
			tellElected(callbacks, current);
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
			this.departures.removeIf(CompletableFuture::isDone);
			this.departures.add(depart(callbacks, current));
		}
		return true;
	}

	/** Let the candidate go when it has been told, or has been told already. */
	private CompletableFuture<Void> depart(CandidateCallbacks callbacks, Term current) {
		this.candidates.remove(callbacks);
		this.departing.add(callbacks);
		this.interruptedAt = this.elections.clock().now();
		return callbacks.defeated(current).whenComplete((told, failure) -> this.departing.remove(callbacks));
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
		Term current = this.term;
		if (current != null) {
			current.end(reason);
			current.calls().close();
			current.calls().lose();
		}
		this.candidates.forEach(CandidateCallbacks::close);
		this.departing.forEach(CandidateCallbacks::close);
		this.notifications.close();
	}

	/** Take the step: first the new state, then what it asks for. */
	void apply(Step step, Moment now) {
		String leaderBefore = this.state.leader(this.elections.candidateId());
		boolean hadTenure = this.state.tenure() != null;
		this.state = step.state();
		if (hadTenure && step.state().tenure() == null) {
			this.term = null;
			this.lostAt = null;
		}
		String leader = step.state().leader(this.elections.candidateId());
		Step.Effect effect = step.effect();
		if (effect instanceof Step.Elected elected) {
			onElected(elected);
		}
		else if (effect instanceof Step.Extended extended) {
			onExtended(extended, now);
		}
		else if (effect instanceof Step.Drain drain) {
			onDrain(drain.reason(), now);
		}
		else if (effect instanceof Step.Lost lost) {
			onLost(lost, now);
		}
		if (!Objects.equals(leaderBefore, leader)) {
			this.leaderlessSince = (leader == null) ? now : null;
			tell((listener) -> listener.onLeaderChanged(step.state().election(), leaderBefore, leader));
		}
	}

	private void onElected(Step.Elected elected) {
		Term began = new Term(this.state.election(), this.elections.candidateId(), elected.term(), elected.deadline(),
				this.elections.clock(), this.elections.threads(), this.elections.observers());
		this.term = began;
		LogLines.about(began, logger.atInfo())
			.log("Elected: this instance leads '{}' in term {}", began.election(), began.term());
		this.candidates.forEach((callbacks) -> tellElected(callbacks, began));
		tell((listener) -> listener.onElected(began));
	}

	private void tellElected(CandidateCallbacks callbacks, Term began) {
		callbacks.elected(began, () -> this.elections
			.post((now) -> apply(this.protocol.resign(this.state, LossReason.CALLBACK_FAILED, now), now)));
	}

	private void onExtended(Step.Extended extended, Moment now) {
		Term current = this.term;
		if (current != null && current != this.defeated && !current.extend(extended.deadline())) {
			// An application thread has found the deadline passed before this reply
			// came: the answer it got stands.
			apply(this.protocol.lapsed(this.state, current.term(), now), now);
		}
	}

	private void onDrain(LossReason reason, Moment now) {
		Term current = this.term;
		if (current == null) {
			return;
		}
		LogLines.about(current, logger.atInfo())
			.addKeyValue("reason", reason)
			.log("Handing over '{}', term {}: {}; waiting for {} calls in flight", current.election(), current.term(),
					reason, current.calls().count());
		this.drainingSince = now;
		current.calls().close();
		current.beginToEnd();
		whenDone(current.calls().drained(), (then) -> {
			endDrain(current, true, then);
			defeat(current, reason);
		});
	}

	private void endDrain(Term current, boolean complete, Moment now) {
		Moment since = this.drainingSince;
		EngineObservers observers = this.elections.observers();
		if (since == null || observers.isEmpty()) {
			return;
		}
		this.drainingSince = null;
		long nanos = now.nanos() - since.nanos();
		this.notifications.execute(() -> observers.drain(current.election(), nanos, complete));
	}

	private void onLost(Step.Lost lost, Moment now) {
		Term current = this.term;
		if (current == null) {
			return;
		}
		this.lostAt = now;
		this.cutOff = lost.reason() == LossReason.EXPIRED;
		endDrain(current, false, now);
		if (lost.drainTimedOut()) {
			LogLines.about(current, logger.atWarn())
				.addKeyValue("reason", lost.reason())
				.log("Work under '{}', term {}, did not end within {}; it is interrupted, and the lease left to expire",
						current.election(), current.term(), this.protocol.settings().drainTimeout());
		}
		else if (current != this.defeated) {
			LogLines.about(current, logger.atWarn())
				.addKeyValue("reason", lost.reason())
				.log("Lost leadership of '{}', term {}: {}; {} calls in flight are told, and this instance stands again "
						+ "when they have ended", current.election(), current.term(), lost.reason(),
						current.calls().count());
		}
		current.end(lost.reason());
		current.calls().lose();
		defeat(current, lost.reason());
	}

	/** End the term, tell the candidates, and settle when they and all calls are done. */
	private void defeat(Term current, LossReason reason) {
		if (current == this.defeated) {
			return;
		}
		this.defeated = current;
		this.interruptedAt = this.elections.clock().now();
		current.end(reason);
		this.lastLoss = current.lossReason().orElse(reason);
		List<CompletableFuture<Void>> ends = new ArrayList<>(this.departures);
		this.departures.clear();
		this.candidates.forEach((callbacks) -> ends
			.add(callbacks.isLeaving() ? depart(callbacks, current) : callbacks.defeated(current)));
		tell((listener) -> listener.onDefeated(current));
		current.calls().close();
		ends.add(current.calls().drained());
		whenDone(CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)),
				(now) -> apply(this.protocol.settled(this.state, current.term(), now), now));
	}

	private void whenDone(CompletionStage<Void> stage, Consumer<Moment> action) {
		stage.thenRun(() -> this.elections.post(action));
	}

	private void tell(Consumer<ElectionListener> event) {
		for (ElectionListener listener : this.elections.listeners()) {
			this.notifications.execute(() -> event.accept(listener));
		}
	}

}
