package io.github.leaderelection.engine;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.TermState.Handover;
import io.github.leaderelection.protocol.TermState.Loss;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Carries out one term of leadership inside this process, from beginning to end.
 * {@link TermState} says what has to be done; this class records what has been done. So
 * whatever fails stays pending and is tried again the next time, and it does not keep the
 * other steps from being carried out. Logging comes last (R8).
 */
final class TermReconciler {

	private static final EngineLog log = EngineLog.of(TermReconciler.class);

	private final Term term;

	private final ElectionMember member;

	private final EngineContext context;

	private final Candidates candidates;

	private final Suppressed attempts;

	private final Set<Duty> done = EnumSet.noneOf(Duty.class);

	TermReconciler(Term term, ElectionMember member) {
		this.term = term;
		this.member = member;
		this.context = member.context();
		this.candidates = member.candidates();
		this.attempts = member.attempts();
	}

	Term term() {
		return this.term;
	}

	boolean isDefeated() {
		return this.done.contains(Duty.DEFEAT);
	}

	/** End the term at once: no time is left to wait for work or callbacks. */
	void abandon(Suppressed last) {
		last.attempt(() -> this.term.end(LossReason.SHUTDOWN));
		last.attempt(this.term.calls()::close);
		last.attempt(this.term.calls()::lose);
	}

	/**
	 * Do what has not been done yet.
	 * @return the event that results, {@code null} if there is none
	 */
	@Nullable ElectionEvent reconcile(TermState own) {
		return switch (own.phase()) {
			case LEADING -> lead(own);
			case DRAINING -> drain(own, Objects.requireNonNull(own.handover()));
			case STOPPING, LINGERING -> end(own, Objects.requireNonNull(own.loss()));
			case RELEASING -> null;
		};
	}

	private @Nullable ElectionEvent lead(TermState own) {
		if (this.term.isUnwanted()) {
			return ElectionEvent.resigned(LossReason.RESIGNED, null);
		}
		if (this.member.state().wish() != Wish.LEAD) {
			this.term.beginToEnd();
		}
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.isLeaving()) {
				this.attempts.attempt(() -> departIfOthersStay(callbacks));
			}
		}
		tellDeparted();
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (!callbacks.isAnnounced(this.term)
					&& !this.candidates.isToBeToldFirst(callbacks.candidate(), this.term)) {
				this.attempts.attempt(() -> callbacks.elected(this.term));
			}
		}
		once(Duty.TELL_ELECTED, () -> this.member.tell((listener) -> listener.onElected(this.term)));
		once(Duty.LOG_ELECTED, () -> log.tell((logger) -> LogLines.about(this.term, at(logger, Level.INFO))
			.log("Elected: this instance leads '{}' in term {}", this.term.election(), this.term.term())));
		if (!this.term.isHeld()) {
			return ended();
		}
		this.term.validUntil(own.validUntil());
		return this.candidates.hasFailed(this.term) ? ElectionEvent.resigned(LossReason.CALLBACK_FAILED, null) : null;
	}

	/**
	 * Let a leaving candidate go without ending the term. As the last candidate it was to
	 * end the term, but others have joined since.
	 */
	private void departIfOthersStay(CandidateCallbacks callbacks) {
		if (this.member.isWanted()) {
			this.candidates.depart(callbacks);
		}
	}

	/**
	 * Return the event for a term that was lost: it was taken over, or its own deadline
	 * or that of its session has passed.
	 */
	private ElectionEvent ended() {
		boolean expired = this.term.lossReason().orElse(null) != LossReason.TAKEN_OVER;
		return ElectionEvent.ended(this.term.term(), expired ? LossReason.EXPIRED : LossReason.TAKEN_OVER);
	}

	private @Nullable ElectionEvent drain(TermState own, Handover handover) {
		this.term.beginToEnd();
		tellDeparted();
		if (endBound()) {
			once(Duty.CLOSE, this.term.calls()::close);
		}
		once(Duty.LOG_DRAIN, () -> logDrain(handover));
		if (this.term.hasLapsed()) {
			return ended();
		}
		this.term.validUntil(own.validUntil());
		if (this.term.calls().isDrained()) {
			observeDrain(handover, true);
			return defeat(handover.reason());
		}
		return null;
	}

	/**
	 * Stop the bound candidates while the gate still lets their calls in: a listener may
	 * be in the middle of a message.
	 * @return whether all of them have stopped
	 */
	private boolean endBound() {
		boolean ended = true;
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.isBound()) {
				if (!callbacks.isDefeatAnnounced(this.term)) {
					this.candidates.interrupted();
				}
				tellDefeated(callbacks);
				ended &= callbacks.isDoneWith(this.term);
			}
		}
		return ended;
	}

	private void observeDrain(@Nullable Handover handover, boolean complete) {
		EngineObservers observers = this.context.observers();
		if (handover != null && !observers.isEmpty()) {
			once(Duty.OBSERVE_DRAIN, () -> {
				long nanos = this.context.now().since(handover.since()).toNanos();
				this.member.notifier()
					.execute(() -> observers
						.fire((observer) -> observer.onDrain(this.term.election(), nanos, complete)));
			});
		}
	}

	private @Nullable ElectionEvent end(TermState own, Loss loss) {
		LossReason reason = endTerm(loss.reason());
		boolean news = !isDefeated();
		int inFlight = this.term.calls().count();
		this.attempts.attempt(this.term.calls()::lose);
		observeDrain(own.handover(), false);
		ElectionEvent next = defeat(reason);
		once(Duty.LOG_LOST, () -> logLost(reason, loss.drainTimedOut(), news, inFlight));
		return next;
	}

	/** End the term, and return why it has ended, which may be an earlier reason. */
	private LossReason endTerm(LossReason reason) {
		this.term.end(reason);
		return this.term.lossReason().orElse(reason);
	}

	private void logLost(LossReason reason, boolean drainTimedOut, boolean news, int inFlight) {
		if (drainTimedOut) {
			log.tell((logger) -> LogLines.about(this.term, at(logger, Level.WARN))
				.addKeyValue("reason", reason)
				.log("Work under '{}', term {}, did not end within {}; it is interrupted where that is allowed. The lease is released after another TTL at most, though the work may go on",
						this.term.election(), this.term.term(),
						ReadableDuration.exact(this.member.settings().drainTimeout())));
		}
		else if (news) {
			log.tell((logger) -> LogLines.about(this.term, at(logger, Level.WARN))
				.addKeyValue("reason", reason)
				.log("Lost leadership of '{}', term {}: {}; {}", this.term.election(), this.term.term(), reason,
						outlasting(inFlight)));
		}
	}

	private void logDrain(Handover handover) {
		String by = handover.by();
		if (by != null) {
			log.tell((logger) -> LogLines.about(this.term, at(logger, Level.INFO))
				.log("Asked through {} to hand over '{}', term {}", StoredText.printable(by), this.term.election(),
						this.term.term()));
		}
		String successor = handover.successor();
		String reason = handover.reason()
				+ ((successor != null) ? ", in favor of " + StoredText.printable(successor) : "");
		log.tell((logger) -> LogLines.about(this.term, at(logger, Level.INFO))
			.addKeyValue("reason", handover.reason())
			.log("Handing over '{}', term {}: {}; {}", this.term.election(), this.term.term(), reason,
					waitingFor(this.term.calls().count())));
	}

	private static String waitingFor(int calls) {
		return ((calls > 0) ? "waiting for " : "") + LogLines.callsInFlight(calls);
	}

	private static String outlasting(int calls) {
		return LogLines.callsInFlight(calls)
				+ ((calls > 0) ? ", which must end before this instance stands again" : "");
	}

	/** End the term, tell the candidates, and settle when they and all calls are done. */
	private @Nullable ElectionEvent defeat(LossReason reason) {
		once(Duty.DEFEAT, this.candidates::interrupted);
		this.member.lastLoss(endTerm(reason));
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.isLeaving()) {
				this.attempts.attempt(() -> this.candidates.depart(callbacks));
			}
			tellDefeated(callbacks);
		}
		tellDeparted();
		boolean known = this.done.contains(Duty.TELL_ELECTED);
		if (known) {
			once(Duty.TELL_DEFEATED, () -> this.member.tell((listener) -> listener.onDefeated(this.term)));
		}
		once(Duty.CLOSE, this.term.calls()::close);
		this.candidates.forgetDeparted(this.term);
		boolean told = this.term.hasToldOfEnd() && (!known || this.done.contains(Duty.TELL_DEFEATED));
		return (told && this.term.calls().isDrained() && this.candidates.areDoneWith(this.term))
				? ElectionEvent.settled(this.term.term()) : null;
	}

	/** Tell departing candidates of their defeat, whether or not the term goes on. */
	private void tellDeparted() {
		this.candidates.departing().forEach(this::tellDefeated);
	}

	private void tellDefeated(CandidateCallbacks callbacks) {
		if (!callbacks.isDefeatAnnounced(this.term)) {
			this.attempts.attempt(() -> this.member.tellDefeated(callbacks, this.term));
		}
	}

	private LoggingEventBuilder at(Logger logger, Level level) {
		return logger.atLevel(this.context.level(level));
	}

	/** Perform the action, unless it has succeeded before. */
	private void once(Duty duty, Runnable action) {
		if (!this.done.contains(duty)) {
			this.attempts.attempt(() -> {
				action.run();
				this.done.add(duty);
			});
		}
	}

	/** What is done once per term. */
	private enum Duty {

		/** Tell listeners that it has begun. */
		TELL_ELECTED,

		/** Log that it has begun. */
		LOG_ELECTED,

		/** Close the gate. */
		CLOSE,

		/** Log that it is being handed over. */
		LOG_DRAIN,

		/** Tell observers how long the drain took. */
		OBSERVE_DRAIN,

		/** Begin to tell candidates that it has ended. */
		DEFEAT,

		/** Tell listeners that it has ended. */
		TELL_DEFEATED,

		/** Log that it was lost. */
		LOG_LOST

	}

}
