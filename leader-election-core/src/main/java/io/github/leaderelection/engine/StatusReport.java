package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Reports the status of this process in one election. Takes no lock, so it may be out of
 * date.
 *
 * @param known the state of the election
 * @param holder the last observation of the session that vouches for the lease,
 * {@code null} if there is none
 * @param turnedAt when the loop last looked for a call to make, {@code null} if it has
 * not started
 */
record StatusReport(ElectionMember member, ElectionState known, @Nullable Term term, @Nullable Observation holder,
		@Nullable Moment turnedAt, Moment now) {

	ElectionStatus status() {
		String candidateId = this.member.context().candidateId();
		ElectionSettings settings = this.member.settings();
		Freshness freshness = this.member.freshness();
		OwnSession session = this.member.session();
		Candidates candidates = this.member.candidates();
		Lease lease = this.known.presentLease();
		String leader = this.known.leader(candidateId);
		Duration remaining = (leader != null) ? positive(this.known.remaining(this.holder, this.now)) : Duration.ZERO;
		Duration sinceRenewal = null;
		Duration leaderless = leaderless();
		if (this.term != null && this.term.isHeld()) {
			remaining = this.term.remaining();
			sinceRenewal = session.sinceConfirmed(this.now);
			leaderless = Duration.ZERO;
		}
		return new ElectionStatus(this.known.election(), leader, role(),
				(this.term != null) ? this.term.term() : this.known.highestTerm(),
				(lease != null) ? lease.electedAt() : null, remaining, freshness.sinceObserved(this.now),
				(this.term != null) ? this.term.calls().count() : 0, this.member.lastLoss(), settings.ttl(),
				candidates.ignoringInterrupt(settings.safetyMargin(), this.now), lingering(), sinceRenewal, leaderless,
				freshness.isCutOff() || (this.known.isVouchedFor() && session.isOverdue(this.now)),
				this.known.isDamaged() ? this.member.damage().present() : null, unobserved(), candidates.components(),
				this.known.isPaused());
	}

	/** Return for how long nobody has led, or the leader has been silent for too long. */
	private Duration leaderless() {
		Moment since = this.member.notifier().leaderlessSince();
		return (since != null) ? this.now.since(since)
				: positive(this.known.remaining(this.holder, this.now).negated());
	}

	private static Duration positive(Duration duration) {
		return duration.isNegative() ? Duration.ZERO : duration;
	}

	private Role role() {
		if (this.term == null) {
			return (this.known.wish() == Wish.PAUSE || this.known.isPaused()) ? Role.PAUSED : Role.FOLLOWER;
		}
		if (this.term.isHeld()) {
			return this.term.isEnding() ? Role.HANDING_OVER : Role.LEADER;
		}
		// A term that is handed over is not held either while its lease is given back.
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

	/** Return for how long the lease was not seen although it should have been. */
	private Duration unobserved() {
		return (this.turnedAt != null && this.known.stands())
				? this.member.freshness().unobserved(this.member.settings(), this.now.since(this.turnedAt), this.now)
				: Duration.ZERO;
	}

}
