package io.github.leaderelection.engine;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.TermState.Handover;
import io.github.leaderelection.engine.TermState.Loss;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What is done for one term inside this process, from its first to its last. What is to
 * be done follows from {@link TermState where the term stands}; what has been done is
 * noted here. So whatever fails is still owed, and tried again the next time. It keeps
 * nothing else from being done. What is logged comes last.
 */
final class TermDuties {

	private static final EngineLog log = EngineLog.of(TermDuties.class);

	private final Term term;

	private final Participation participation;

	private final EngineContext context;

	private final Candidates candidates;

	private final Suppressed attempts;

	private final Set<Duty> done = EnumSet.noneOf(Duty.class);

	/** Whether candidates have been told, or are being told, that the term has ended. */
	private boolean defeated;

	/** Whether some of the work is not waited for, since it waits for this to close. */
	private boolean leftBehind;

	TermDuties(Term term, Participation participation) {
		this.term = term;
		this.participation = participation;
		this.context = participation.context();
		this.candidates = participation.candidates();
		this.attempts = participation.attempts();
	}

	Term term() {
		return this.term;
	}

	boolean isDefeated() {
		return this.defeated;
	}

	/** Wait no longer for what these threads are in. */
	void leaveBehind(Set<Thread> threads) {
		// Noted at once: what is not waited for must not be followed by a release.
		if (this.term.calls().leaveBehind(threads)) {
			this.leftBehind = true;
		}
		this.candidates.forEach((callbacks) -> {
			if (callbacks.leaveBehind(threads)) {
				this.leftBehind = true;
			}
		});
	}

	/** End the term for good: there is no time left to wait for anything. */
	void abandon(LossReason reason, Suppressed last) {
		last.attempt(() -> this.term.end(reason));
		last.attempt(this.term.calls()::close);
		last.attempt(this.term.calls()::lose);
	}

	/**
	 * Do what has not been done yet.
	 * @return the state that follows, {@code null} while there is none
	 */
	@Nullable ElectionState fulfil(TermState own) {
		return switch (own.phase()) {
			case LEADING -> lead(own);
			case DRAINING -> drain(own, Objects.requireNonNull(own.handover()));
			case STOPPING, LINGERING -> end(own, Objects.requireNonNull(own.loss()));
			case RELEASING, LEFT -> null;
		};
	}

	private @Nullable ElectionState lead(TermState own) {
		if (this.term.isGivenUp()) {
			return protocol().resign(this.participation.state(), LossReason.RESIGNED, this.context.now());
		}
		if (!this.participation.state().standing()) {
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
		once(Duty.TELL_ELECTED, () -> this.participation.tell((listener) -> listener.onElected(this.term)));
		once(Duty.LOG_ELECTED, () -> log.tell((logger) -> LogLines.about(this.term, at(logger, Level.INFO))
			.log("Elected: this instance leads '{}' in term {}", this.term.election(), this.term.term())));
		if (!this.term.isHeld()) {
			return lapsed();
		}
		this.term.sureUntil(own.sureUntil());
		return this.candidates.hasFailed(this.term)
				? protocol().resign(this.participation.state(), LossReason.CALLBACK_FAILED, this.context.now()) : null;
	}

	/**
	 * The term was to end with the last candidate, but others have come before it could.
	 */
	private void departIfOthersStay(CandidateCallbacks callbacks) {
		if (this.participation.isWanted()) {
			this.candidates.depart(callbacks);
		}
	}

	/** The belief that the term stands and falls with is over, whoever has noticed. */
	private ElectionState lapsed() {
		ElectionState state = this.participation.state();
		return (this.term.lossReason().orElse(null) == LossReason.TAKEN_OVER)
				? protocol().orphaned(state, this.context.now())
				: protocol().lapsed(state, this.term.term(), this.context.now());
	}

	private @Nullable ElectionState drain(TermState own, Handover handover) {
		this.term.beginToEnd();
		tellDeparted();
		if (endBound()) {
			once(Duty.CLOSE, this.term.calls()::close);
		}
		awaitCalls();
		once(Duty.LOG_DRAIN, () -> logDrain(handover));
		if (this.term.hasLapsed()) {
			return lapsed();
		}
		this.term.sureUntil(own.sureUntil());
		if (this.term.calls().isDrained()) {
			observeDrain(handover, true);
			return defeat(handover.reason());
		}
		return null;
	}

	/**
	 * Let what works by itself come to its end, while its gated calls are still let in: a
	 * listener may be in the middle of a message.
	 * @return whether it has ended
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

	private void awaitCalls() {
		once(Duty.AWAIT_CALLS, () -> this.participation.wakeWhen(this.term.calls().drained()));
	}

	private void observeDrain(@Nullable Handover handover, boolean complete) {
		EngineObservers observers = this.context.observers();
		if (handover != null && !observers.isEmpty()) {
			once(Duty.OBSERVE_DRAIN, () -> {
				long nanos = this.context.now().since(handover.since()).toNanos();
				this.participation.news()
					.execute(() -> observers
						.fire((observer) -> observer.onDrain(this.term.election(), nanos, complete)));
			});
		}
	}

	private @Nullable ElectionState end(TermState own, Loss loss) {
		this.term.end(loss.reason());
		boolean news = !this.defeated;
		int inFlight = lose();
		observeDrain(own.handover(), false);
		ElectionState next = defeat(loss.reason());
		once(Duty.LOG_LOST, () -> logLost(loss, news, inFlight));
		return next;
	}

	/** Return how many calls were in flight, the first time. */
	private int lose() {
		try {
			return this.term.calls().lose();
		}
		catch (Throwable ex) {
			this.attempts.add(ex);
			return 0;
		}
	}

	private void logLost(Loss loss, boolean news, int inFlight) {
		if (loss.drainTimedOut()) {
			log.tell((logger) -> LogLines.about(this.term, at(logger, Level.WARN))
				.addKeyValue("reason", loss.reason())
				.log("Work under '{}', term {}, did not end within {}; it is interrupted, and the lease kept for another TTL at most",
						this.term.election(), this.term.term(),
						ReadableDuration.exact(protocol().settings().drainTimeout())));
		}
		else if (news) {
			log.tell((logger) -> LogLines.about(this.term, at(logger, Level.WARN))
				.addKeyValue("reason", loss.reason())
				.log("Lost leadership of '{}', term {}: {}; {}", this.term.election(), this.term.term(), loss.reason(),
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
				+ ((calls > 0) ? ", which this instance lets end before it stands again" : "");
	}

	/** End the term, tell the candidates, and settle when they and all calls are done. */
	private @Nullable ElectionState defeat(LossReason reason) {
		if (!this.defeated) {
			this.defeated = true;
			this.candidates.interrupted();
		}
		this.term.end(reason);
		this.participation.lastLoss(this.term.lossReason().orElse(reason));
		for (CandidateCallbacks callbacks : this.candidates.standing()) {
			if (callbacks.isLeaving()) {
				this.attempts.attempt(() -> this.candidates.depart(callbacks));
			}
			tellDefeated(callbacks);
		}
		tellDeparted();
		boolean known = this.done.contains(Duty.TELL_ELECTED);
		if (known) {
			once(Duty.TELL_DEFEATED, () -> this.participation.tell((listener) -> listener.onDefeated(this.term)));
		}
		once(Duty.CLOSE, this.term.calls()::close);
		awaitCalls();
		this.candidates.forgetDeparted(this.term);
		boolean told = this.term.hasToldOfEnd() && (!known || this.done.contains(Duty.TELL_DEFEATED));
		return (told && this.term.calls().isDrained() && this.candidates.areDoneWith(this.term)) ? settled() : null;
	}

	private ElectionState settled() {
		if (this.leftBehind) {
			once(Duty.LOG_LEFT_BEHIND, () -> log.tell((logger) -> LogLines.about(this.term, at(logger, Level.WARN))
				.log("Leader election is closed from inside work under '{}', term {}: it does not wait for that work, and "
						+ "the lease is left to expire", this.term.election(), this.term.term())));
		}
		return protocol().settled(this.participation.state(), this.term.term(), this.leftBehind, this.context.now());
	}

	/** Candidates that leave are told while the term goes on, or has ended before. */
	private void tellDeparted() {
		this.candidates.departing().forEach(this::tellDefeated);
	}

	private void tellDefeated(CandidateCallbacks callbacks) {
		if (!callbacks.isDefeatAnnounced(this.term)) {
			this.attempts.attempt(() -> this.participation.beginToTell(callbacks, this.term));
		}
	}

	private ElectionProtocol protocol() {
		return this.participation.protocol();
	}

	private LoggingEventBuilder at(Logger logger, Level level) {
		return logger.atLevel(this.context.level(level));
	}

	/** Do this, unless it was done before. */
	private void once(Duty duty, Runnable action) {
		if (!this.done.contains(duty)) {
			this.attempts.attempt(() -> {
				action.run();
				this.done.add(duty);
			});
		}
	}

	/** What is to be done once in a term. */
	private enum Duty {

		/** Tell listeners that it has begun. */
		TELL_ELECTED,

		/** Log that it has begun. */
		LOG_ELECTED,

		/** Close the gate. */
		CLOSE,

		/** Ask to be woken when no call is in flight any more. */
		AWAIT_CALLS,

		/** Log that it is handed over. */
		LOG_DRAIN,

		/** Let observers know how long calls were waited for. */
		OBSERVE_DRAIN,

		/** Log that work is not waited for. */
		LOG_LEFT_BEHIND,

		/** Tell listeners that it has ended. */
		TELL_DEFEATED,

		/** Log that it was lost. */
		LOG_LOST

	}

}
