package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.TermState.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Tells how this process fares in one election. Takes no lock: what is told may have
 * changed meanwhile.
 */
final class StatusReport {

	private final Participation participation;

	private final ElectionState known;

	private final @Nullable Term term;

	private final @Nullable SessionSighting holder;

	private final @Nullable Moment turnedAt;

	private final Moment now;

	/**
	 * Prepare a report.
	 * @param known the state of the election
	 * @param holder what was last seen of the session of whoever holds the lease
	 * @param turnedAt when somebody last asked what is to be done, {@code null} if nobody
	 * does
	 */
	StatusReport(Participation participation, ElectionState known, @Nullable SessionSighting holder,
			@Nullable Moment turnedAt, Moment now) {
		this.participation = participation;
		this.known = known;
		this.term = participation.term();
		this.holder = holder;
		this.turnedAt = turnedAt;
		this.now = now;
	}

	ElectionStatus status() {
		String candidateId = this.participation.context().candidateId();
		ElectionSettings settings = this.participation.protocol().settings();
		LeaseObservation observation = this.participation.observation();
		OwnSession session = this.participation.session();
		Candidates candidates = this.participation.candidates();
		Duration remaining = this.known.remaining(this.holder, this.now);
		Duration beaten = null;
		Duration leaderless = leaderless();
		if (this.term != null && this.term.isHeld()) {
			remaining = this.term.remaining();
			beaten = session.sinceConfirmed(this.now);
			leaderless = Duration.ZERO;
		}
		return new ElectionStatus(this.known.election(), this.known.leader(candidateId), role(),
				(this.term != null) ? this.term.term() : this.known.highestTerm(), this.known.electedAt(), remaining,
				observation.sinceObserved(this.now), (this.term != null) ? this.term.calls().count() : 0,
				this.participation.lastLoss(), settings.ttl(),
				candidates.ignoreInterrupt(settings.safetyMargin(), this.now), lingering(), beaten, leaderless,
				observation.isCutOff() || (this.participation.isVouchedFor() && session.isOverdue(this.now)),
				this.known.isDamaged() ? this.participation.damage().present() : null, unobserved(),
				candidates.components(), this.participation.isSuspended());
	}

	/** Return for how long nobody leads, or who does has been silent for too long. */
	private Duration leaderless() {
		Moment since = this.participation.news().leaderlessSince();
		return (since != null) ? this.now.since(since) : this.known.overdue(this.holder, this.now);
	}

	private Role role() {
		if (this.term == null) {
			return (this.known.standing() || !this.participation.isPaused()) ? Role.FOLLOWER : Role.PAUSED;
		}
		if (this.term.isHeld()) {
			return this.term.isEnding() ? Role.HANDING_OVER : Role.LEADER;
		}
		// A term that was handed over is not held either when its lease is given back.
		TermState own = this.known.term();
		boolean lost = this.known.isIn(Phase.LEADING) || (own != null && own.isLost());
		return lost ? Role.LOST : Role.HANDING_OVER;
	}

	/** Return for how long work has gone on under a term that was lost. */
	private Duration lingering() {
		TermState own = this.known.term();
		TermState.Loss loss = (own != null) ? own.loss() : null;
		return (this.term != null && loss != null) ? this.now.since(loss.at()) : Duration.ZERO;
	}

	/** Return for how long nothing was seen, if something should have been by now. */
	private Duration unobserved() {
		return (this.turnedAt != null && this.known.standing())
				? this.participation.observation().unobserved(this.now.since(this.turnedAt), this.now) : Duration.ZERO;
	}

}
