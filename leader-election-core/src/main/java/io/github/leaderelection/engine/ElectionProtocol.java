package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.Tenure.Phase;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one candidate in one election, as pure functions of what it knows, what
 * it learns, and the time. Nothing here blocks, reads a clock or changes anything.
 * <p>
 * In short:
 * <ol>
 * <li>A lease that is vacant, or one's own, may be taken at once. A lease of another may
 * be taken when it has shown the same revision for its own time to live, on this
 * process's monotonic clock, counted from when that revision was first seen
 * ({@link #isAvailable}).</li>
 * <li>Each taking is a compare-and-set on the lease as seen, with a term above every term
 * seen ({@link #intent}). Only the answer to that very call makes a leader
 * ({@link #taken}).</li>
 * <li>The leader believes until the time <em>before</em> it sent its last acknowledged
 * renewal, plus the time to live, less the safety margin ({@link #deadline}). A reply
 * that arrives after that changes nothing ({@link #renewed}).</li>
 * <li>A failed call is doubt, not loss: renewals are tried again until the deadline, a
 * taking in doubt is resolved by looking ({@link #callFailed}).</li>
 * <li>Who resigns first drains: no new work, the old ends, candidates are told, and only
 * then is the lease released. If that takes too long the lease is left to expire
 * ({@link #resign}, {@link #settled}, {@link #tick}).</li>
 * <li>Who resigns may leave the lease to a certain candidate: for two poll intervals the
 * others let it have its way ({@link #isAvailable}).</li>
 * <li>Who follows looks for each renewal when it is due, or once per poll interval where
 * that is not known ({@link #nextLook}). When it looks decides how soon it takes over,
 * and nothing else.</li>
 * <li>A lease that vanished is treated as held for its time to live, from when it was
 * first found missing ({@link #isAvailable}).</li>
 * </ol>
 */
class ElectionProtocol {

	/**
	 * For how many poll intervals a lease is kept for a successor: enough to find out
	 * without push.
	 */
	private static final int SUCCESSOR_POLLS = 2;

	private final String candidateId;

	private final ElectionSettings settings;

	/** How long after a renewal is due this candidate looks for it. */
	private final Duration lookDelay;

	ElectionProtocol(String candidateId, ElectionSettings settings) {
		this.candidateId = candidateId;
		this.settings = settings;
		this.lookDelay = lookDelay(candidateId, settings.pollInterval());
	}

	/**
	 * Between a quarter and half of a poll interval, and different for each candidate:
	 * who sees the last renewal first takes over first, and the others hear of it before
	 * their own time has come.
	 */
	private static Duration lookDelay(String candidateId, Duration pollInterval) {
		Duration quarter = pollInterval.dividedBy(4);
		// Spreads even names that differ in their last character only.
		int spread = (candidateId.hashCode() * 0x9E3779B9) >>> 24;
		return quarter.plus(quarter.multipliedBy(spread).dividedBy(256));
	}

	ElectionSettings settings() {
		return this.settings;
	}

	ElectionState begin(String election, Moment now) {
		return new ElectionState(election, true, null, null, 0, now.nanos(), now.nanos());
	}

	/** Begin again where this process has been before. */
	ElectionState recall(ElectionState begun, PastElections.Past past, Moment now) {
		ElectionState recalled = new ElectionState(begun.election(), !past.paused(), null, null, past.highestTerm(),
				begun.nextLook(), now.nanos());
		return recalled.standDownUntil(past.notBefore());
	}

	// What to ask of the store

	/**
	 * Return what to ask of the store now, or {@code null} for nothing.
	 */
	@Nullable Intent intent(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure != null && tenure.phase() != Phase.ENDED) {
			if (!isDue(tenure.nextCall(), now)) {
				return null;
			}
			return tenure.isRenewed() ? new Intent.Renew(tenure.term())
					: new Intent.Release(tenure.term(), tenure.successor());
		}
		if (!state.standing()) {
			return null;
		}
		if (isDue(state.nextLook(), now)) {
			return new Intent.Look();
		}
		if (!mayTake(state, now) || state.sighting() == null) {
			return null;
		}
		Lease lease = state.sighting().lease();
		if (state.sighting().kind() == Sighting.Kind.PRESENT && lease != null) {
			return (flaw(state, lease) == null)
					? new Intent.Take(lease, Math.max(state.highestTerm(), lease.term()) + 1) : null;
		}
		return new Intent.Create(state.highestTerm());
	}

	/**
	 * Return why nobody can follow whoever holds or held this lease, {@code null} if
	 * somebody can: there are no numbers left for the next term. What was edited to look
	 * so must not be remembered as the highest term, or no repair would help.
	 */
	@Nullable String flaw(ElectionState state, Lease lease) {
		long most = Lease.MAX_TERM - 1;
		if (lease.term() > most) {
			return "'term' must be %d at most, for the next to be greater, but is %d".formatted(most, lease.term());
		}
		if (lease.revision() > most) {
			return "'revision' must be %d at most, for the next to be greater, but is %d".formatted(most,
					lease.revision());
		}
		return (state.highestTerm() > most)
				? "'term' must be greater than it was, but was %d, and can't be. ".formatted(state.highestTerm())
						+ "Restart all instances when it is repaired"
				: null;
	}

	/**
	 * Return whether a renewal or look that is not due yet may as well go along with
	 * others. The first renewal of a term falls into step with those of other elections;
	 * from then on followers, who look when they expect the next, can rely on the beat.
	 */
	boolean mayGoAlong(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure != null && tenure.isRenewed()) {
			return tenure.fresh() || isDue(tenure.nextCall() - this.settings.pollInterval().toNanos() / 4, now);
		}
		if (tenure != null && tenure.phase() == Phase.RELEASING) {
			return false;
		}
		return state.standing() && isDue(state.nextLook() - this.settings.pollInterval().toNanos() / 2, now);
	}

	/**
	 * Return whether it takes more than reading to get on: a lease is held, or is there
	 * to be taken, now or after a pause.
	 */
	boolean needsChange(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		return (tenure != null) ? tenure.phase() != Phase.ENDED : state.standing() && isAvailable(state, now);
	}

	/**
	 * Return whether the lease should have been renewed by now: a call that was due has
	 * had all the time it may take.
	 */
	boolean isOverdue(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || !tenure.isRenewed()) {
			return false;
		}
		Duration spare = this.settings.ttl()
			.minus(this.settings.safetyMargin())
			.minus(this.settings.renewInterval())
			.minus(this.settings.operationTimeout());
		return isDue(tenure.deadline().nanos() - spare.toNanos(), now);
	}

	private boolean mayTake(ElectionState state, Moment now) {
		return state.tenure() == null && isDue(state.notBefore(), now) && isAvailable(state, now);
	}

	private boolean isAvailable(ElectionState state, Moment now) {
		Sighting sighting = state.sighting();
		if (sighting == null) {
			return false;
		}
		Lease lease = sighting.lease();
		return switch (sighting.kind()) {
			case DAMAGED -> false;
			case MISSING -> lease == null || hasOutlived(lease, sighting, now);
			case PRESENT -> lease != null && (isFree(lease, sighting) || isForsaken(lease, sighting, now)
					|| hasOutlived(lease, sighting, now));
		};
	}

	/**
	 * Return whether the lease may be taken at once: nobody else holds it, and it is kept
	 * for nobody else. One that is missing may be held.
	 */
	private boolean isFree(Lease lease, Sighting sighting) {
		return sighting.kind() == Sighting.Kind.PRESENT
				&& (lease.isHeldBy(this.candidateId) || (lease.isVacant() && !isKept(lease)));
	}

	/** Return whether the lease has been left to another candidate. */
	private boolean isKept(Lease lease) {
		return lease.successor() != null && !lease.successor().equals(this.candidateId);
	}

	/** Return whether a lease that was kept for another has been vacant for too long. */
	private boolean isForsaken(Lease lease, Sighting sighting, Moment now) {
		return lease.isVacant() && isDue(forsakenAt(sighting), now);
	}

	private long forsakenAt(Sighting sighting) {
		return sighting.since() + this.settings.pollInterval().multipliedBy(SUCCESSOR_POLLS).toNanos();
	}

	/** The holder's own time to live counts, so that different settings are safe. */
	boolean hasOutlived(Lease lease, Sighting sighting, Moment now) {
		return isDue(sighting.since() + lease.ttl().toNanos(), now);
	}

	/**
	 * Return the monotonic time at which {@link #tick} may have something to say, if
	 * nothing happens before.
	 */
	long tickAt(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.phase() == Phase.ENDED) {
			return now.nanos() + this.settings.ttl().toNanos();
		}
		Moment deadline = tenure.deadline();
		// A wall clock may be set back, or forward, by centuries.
		long millis = Math.max(0, Math.min(deadline.millis() - now.millis(), this.settings.ttl().toMillis()));
		long at = earlier(now.plus(Duration.ofMillis(millis)).nanos(), deadline.nanos());
		return (tenure.phase() == Phase.DRAINING) ? earlier(at, tenure.drainUntil()) : at;
	}

	/**
	 * Return the monotonic time at which {@link #intent} or {@link #tick} may have
	 * something new to say, if nothing happens before.
	 */
	long wakeAt(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure != null && tenure.phase() != Phase.ENDED) {
			return earlier(tenure.nextCall(), tickAt(state, now));
		}
		if (!state.standing()) {
			return now.nanos() + this.settings.ttl().toNanos();
		}
		long wake = state.nextLook();
		Sighting sighting = state.sighting();
		if (tenure != null || sighting == null || sighting.kind() == Sighting.Kind.DAMAGED) {
			return wake;
		}
		long takeable = now.nanos();
		Lease lease = sighting.lease();
		if (sighting.kind() == Sighting.Kind.PRESENT && lease != null && flaw(state, lease) != null) {
			return wake;
		}
		if (lease != null && !isFree(lease, sighting)) {
			takeable = lease.isVacant() && sighting.kind() == Sighting.Kind.PRESENT ? forsakenAt(sighting)
					: sighting.since() + lease.ttl().toNanos();
		}
		return earlier(wake, isBefore(takeable, state.notBefore()) ? state.notBefore() : takeable);
	}

	// What the store answered

	/** A look that began at the given time has shown this lease, or none. */
	Step looked(ElectionState state, @Nullable Lease lease, Look look, Moment now) {
		Sighting before = state.sighting();
		if (lease != null && before != null && isBefore(look.sentAt().nanos(), before.since())
				&& before.isNewerThan(lease)) {
			// Overtaken by what was pushed meanwhile.
			return Step.to(state.lookAt(now.plus(this.settings.pollInterval()).nanos()));
		}
		Sighting seen = (lease != null) ? Sighting.present(lease, state.sighting(), now.nanos())
				: Sighting.missing(state.sighting(), now.nanos());
		ElectionState next = state.withSighting(seen).lookAt(nextLook(lease, look, now));
		boolean forgotten = before == null && state.highestTerm() > 0;
		if (seen.kind() == Sighting.Kind.MISSING
				&& (forgotten || (before != null && before.kind() == Sighting.Kind.DAMAGED))) {
			// There was a lease, and who held it, for how long, is not known, or no more.
			next = next.standDownUntil(now.plus(this.settings.ttl()).nanos());
		}
		return Step.to(cautious(next, before, now));
	}

	/**
	 * Who repairs a lease all the time, or has one that can't be taken though it looks as
	 * if it could, must not keep this candidate busy, nor leave those takings in doubt
	 * that are made along with it.
	 */
	private ElectionState cautious(ElectionState next, @Nullable Sighting before, Moment now) {
		Sighting seen = next.sighting();
		boolean repaired = before != null && before.kind() == Sighting.Kind.DAMAGED;
		if (seen == null || !(repaired || seen.refused())) {
			return next;
		}
		return next.withSighting(seen.withRefused(false))
			.standDownUntil(now.plus(this.settings.pollInterval()).nanos());
	}

	/** A look has shown something that is not a lease: keep away from it. */
	Step lookedAtDamage(ElectionState state, Look look, Moment now) {
		return Step
			.to(state.withSighting(Sighting.damaged(state.sighting(), now.nanos())).lookAt(nextLook(null, look, now)));
	}

	/**
	 * Return when to look again. Where takings and releases are pushed there is nothing
	 * to look for but renewals, and one look shortly after each is enough to see it
	 * within a poll interval. When the next is to be expected follows from the age of the
	 * last, by the clock of the store. That is a hint, like what is pushed: if it is
	 * wrong a renewal is seen later, by a renew interval at most, and expires later. So
	 * is one where nobody was known to lead: a taking may be lost on who may not take the
	 * lease itself, for as long as it stands down.
	 */
	private long nextLook(@Nullable Lease lease, Look look, Moment now) {
		Duration interval = this.settings.pollInterval();
		if (look.pushed() && (lease == null || lease.isVacant())) {
			Duration beat = this.settings.renewInterval();
			return now.plus((beat.compareTo(interval) > 0) ? beat : interval).nanos();
		}
		long soon = now.plus(interval).nanos();
		Duration age = (look.pushed() && lease != null) ? look.sinceRenewal(lease) : null;
		Duration beat = (lease != null) ? beat(lease) : Duration.ZERO;
		if (age == null || age.compareTo(beat) >= 0) {
			return soon;
		}
		Duration ahead = beat.minus(age).plus(this.lookDelay);
		long afterNext = look.sentAt().nanos() + ahead.toNanos();
		return isBefore(afterNext, soon) ? soon : afterNext;
	}

	/** Return how often the lease is renewed, if its holder has the same settings. */
	private Duration beat(Lease lease) {
		double scale = (double) lease.ttl().toMillis() / this.settings.ttl().toMillis();
		return Duration.ofNanos(Math.round(this.settings.renewInterval().toNanos() * scale));
	}

	/**
	 * A change was pushed. It may be late: what is already known to be older is ignored,
	 * and the own term is ended only by a later one.
	 */
	Step noticed(ElectionState state, Lease lease, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure != null && tenure.isRenewed()) {
			if (lease.term() <= tenure.term()) {
				// Of an older one that is all the same: it is how this term began.
				return (lease.term() == tenure.term() && !lease.isHeldBy(this.candidateId)) ? doubted(state, now)
						: Step.to(state);
			}
			ElectionState seen = state.withSighting(Sighting.present(lease, state.sighting(), now.nanos()));
			return lose(seen, tenure, LossReason.TAKEN_OVER, false, now);
		}
		Sighting sighting = state.sighting();
		if (sighting != null && !sighting.isSupersededBy(lease)) {
			return Step.to(state);
		}
		return Step.to(cautious(state.withSighting(Sighting.present(lease, sighting, now.nanos()))
			.lookAt(nextLook(lease, new Look(now, null, true), now)), sighting, now));
	}

	/** Something may have changed, as it often does: look by the given time. */
	Step lookBy(ElectionState state, long time) {
		return Step.to(isBefore(time, state.nextLook()) ? state.lookAt(time) : state);
	}

	/**
	 * Something may have changed: look at once. A leader looks by renewing, but not
	 * sooner after the last time than after a failure: nobody knows how often this is
	 * said, and of what.
	 */
	Step lookAgain(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || !tenure.isRenewed()) {
			return Step.to(state.lookAt(now.nanos()));
		}
		long soon = tenure.deadline().nanos() - belief().toNanos() + retryDelay().toNanos();
		return Step.to(renewBy(state, tenure, isBefore(soon, now.nanos()) ? now.nanos() : soon, now));
	}

	/**
	 * The lease is said to be gone, or to be somebody else's. That may be about an
	 * earlier one, or be late: a document was removed and made again, and this term began
	 * after that. So it ends no term, but the renewal is due now. Its answer proves what
	 * is there ({@link #renewalRefused}), one round trip later. What is said falsely
	 * costs a renewal, and not a term.
	 */
	Step doubted(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		return Step.to((tenure != null && tenure.isRenewed()) ? renewBy(state, tenure, now.nanos(), now)
				: state.lookAt(now.nanos()));
	}

	private static ElectionState renewBy(ElectionState state, Tenure tenure, long latest, Moment now) {
		// One that has been due may be under way, and was sent before.
		long next = isDue(tenure.nextCall(), now) ? now.nanos() : earlier(tenure.nextCall(), latest);
		return state.withTenure(tenure.callAgainAt(next));
	}

	/** The lease was taken, by the answer to a call that was sent at the given time. */
	Step taken(ElectionState state, Lease lease, Moment sentAt, Moment now) {
		ElectionState seen = state.withSighting(Sighting.present(lease, null, now.nanos()));
		Moment deadline = deadline(sentAt);
		if (deadline.hasComeAt(now)) {
			// Answered too late to be of use. The next look shows the own lease, to be
			// taken again under a new term.
			return Step.to(seen.lookAt(now.nanos()));
		}
		if (!state.standing()) {
			// Withdrawn meanwhile: nobody was told, so there is nothing to drain.
			return Step.to(seen.withTenure(Tenure.begin(lease.term(), Phase.RELEASING, deadline, now.nanos())));
		}
		long nextCall = sentAt.plus(this.settings.renewInterval()).nanos();
		return new Step(seen.withTenure(Tenure.begin(lease.term(), Phase.LEADING, deadline, nextCall)),
				new Step.Elected(lease.term(), deadline));
	}

	/** The lease was created, vacant: look what is there now. */
	Step created(ElectionState state, Moment now) {
		return lookAgain(state, now);
	}

	/** There is a lease already. If the next look shows none, don't insist. */
	Step createRefused(ElectionState state, Moment now) {
		return lookAgain(state.standDownUntil(now.plus(this.settings.pollInterval()).nanos()), now);
	}

	/**
	 * The lease is not known to have been taken: someone else was faster, or it was one
	 * of several. Look what is there now. Whoever has withdrawn meanwhile leaves a lease
	 * that was taken all the same to expire: a release that arrives late might match a
	 * later taking under the same term.
	 */
	Step takeRefused(ElectionState state, Lease expected, Moment now) {
		Sighting sighting = state.sighting();
		if (sighting == null || sighting.lease() == null || !sighting.lease().isSameRevisionAs(expected)) {
			return lookAgain(state, now);
		}
		return lookAgain(state.withSighting(sighting.withRefused(true)), now);
	}

	/** The lease was renewed, by the answer to a call that was sent at the given time. */
	Step renewed(ElectionState state, long term, Moment sentAt, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term || !tenure.isRenewed()) {
			return Step.to(state);
		}
		if (tenure.deadline().hasComeAt(now)) {
			return lose(state, tenure, LossReason.EXPIRED, false, now);
		}
		Moment deadline = deadline(sentAt);
		long nextCall = sentAt.plus(this.settings.renewInterval()).nanos();
		if (isBefore(sentAt.nanos(), tenure.nextCall()) && isDue(tenure.nextCall(), now)) {
			// Due since the call was sent: what was said meanwhile it can't answer.
			nextCall = tenure.nextCall();
		}
		return new Step(state.withTenure(tenure.renewedUntil(deadline, nextCall)), new Step.Extended(deadline));
	}

	/** The stored lease shows another holder or term, or is gone. */
	Step renewalRefused(ElectionState state, long term, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term || !tenure.isRenewed()) {
			return Step.to(state);
		}
		return lose(state, tenure, LossReason.TAKEN_OVER, false, now);
	}

	/** The term's own clock reading found its deadline passed. */
	Step lapsed(ElectionState state, long term, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term || !tenure.isRenewed()) {
			return Step.to(state);
		}
		return lose(state, tenure, LossReason.EXPIRED, false, now);
	}

	/** The lease was given back, or was no longer ours to give. */
	Step released(ElectionState state, long term, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term || tenure.phase() != Phase.RELEASING) {
			return Step.to(state);
		}
		return Step.to(finish(state, tenure, now));
	}

	/**
	 * A call has failed, its outcome is unknown: try again soon. A follower looks before
	 * it tries anything else.
	 */
	Step callFailed(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure != null && tenure.phase() != Phase.ENDED) {
			return Step.to(state.withTenure(tenure.callAgainAt(now.plus(retryDelay()).nanos())));
		}
		long later = now.plus(this.settings.pollInterval()).nanos();
		return Step.to(state.lookAt(later).standDownUntil(later));
	}

	private Duration retryDelay() {
		Duration quarter = this.settings.renewInterval().dividedBy(4);
		return (quarter.compareTo(this.settings.pollInterval()) < 0) ? quarter : this.settings.pollInterval();
	}

	/**
	 * Counted from before the call was sent: a slow reply must shorten the term, never
	 * lengthen it.
	 */
	Moment deadline(Moment sentAt) {
		return sentAt.plus(belief());
	}

	/** Return for how long a leader believes that it leads after each renewal. */
	Duration belief() {
		return this.settings.ttl().minus(this.settings.safetyMargin());
	}

	// What this process does

	/** Time has passed. */
	Step tick(ElectionState state, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.phase() == Phase.ENDED) {
			return Step.to(state);
		}
		boolean deadlineHasCome = tenure.deadline().hasComeAt(now);
		if (tenure.phase() == Phase.RELEASING) {
			// Not confirmed in time: the lease expires without our help.
			return Step.to(deadlineHasCome ? finish(state, tenure, now) : state);
		}
		if (deadlineHasCome) {
			return lose(state, tenure, LossReason.EXPIRED, false, now);
		}
		if (tenure.phase() == Phase.DRAINING && tenure.reason() != null && isDue(tenure.drainUntil(), now)) {
			return lose(state, tenure, tenure.reason(), true, now);
		}
		return Step.to(state);
	}

	/** Stand in the election again after having withdrawn. */
	Step stand(ElectionState state, Moment now) {
		return Step.to(state.withStanding(true).lookAt(now.nanos()));
	}

	/** No longer stand in the election, but go on to lead it. */
	Step standNoMore(ElectionState state) {
		return Step.to(state.withStanding(false));
	}

	/** No longer stand in the election, and hand over if leading. */
	Step withdraw(ElectionState state, LossReason reason, Moment now) {
		return resign(state.withStanding(false), reason, now);
	}

	/** Hand over if leading. */
	Step resign(ElectionState state, LossReason reason, Moment now) {
		return resign(state, reason, null, now);
	}

	/** Hand over, if leading, to a certain candidate. */
	Step resign(ElectionState state, LossReason reason, @Nullable String successor, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.phase() != Phase.LEADING) {
			return Step.to(state);
		}
		long drainUntil = now.plus(this.settings.drainTimeout()).nanos();
		return new Step(state.withTenure(tenure.drain(reason, successor, drainUntil)), new Step.Drain(reason));
	}

	/** All work and all callbacks of the term have ended. */
	Step settled(ElectionState state, long term, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term) {
			return Step.to(state);
		}
		return switch (tenure.phase()) {
			case DRAINING -> Step.to(state.withTenure(tenure.release(now.nanos())));
			case ENDED -> Step.to(finish(state, tenure, now));
			case LEADING, RELEASING -> Step.to(state);
		};
	}

	/**
	 * All work and callbacks of the term have ended, but those that wait for this process
	 * to end, or to close. They may go on when it has closed, so the lease is not
	 * released but left to expire, as after a drain that took too long. This process,
	 * which never stands again, need not wait for their end.
	 */
	Step settledButForClosers(ElectionState state, long term, Moment now) {
		Tenure tenure = state.tenure();
		if (tenure == null || tenure.term() != term) {
			return Step.to(state);
		}
		return switch (tenure.phase()) {
			case DRAINING, ENDED -> Step.to(finish(state, tenure, now));
			case LEADING, RELEASING -> Step.to(state);
		};
	}

	private static Step lose(ElectionState state, Tenure tenure, LossReason reason, boolean drainTimedOut, Moment now) {
		// The tenure stays until its work has ended: until then this process, though it
		// no longer leads, does not begin another term beside the old one's work.
		return new Step(state.withTenure(tenure.end(reason)).lookAt(now.nanos()), new Step.Lost(reason, drainTimedOut));
	}

	private ElectionState finish(ElectionState state, Tenure tenure, Moment now) {
		ElectionState finished = state.withTenure(null).lookAt(now.nanos());
		boolean byChoice = tenure.reason() == LossReason.RESIGNED || tenure.reason() == LossReason.CALLBACK_FAILED;
		return byChoice ? finished.standDownUntil(now.plus(this.settings.cooldown()).nanos()) : finished;
	}

	private static boolean isDue(long time, Moment now) {
		return now.nanos() - time >= 0;
	}

	private static boolean isBefore(long one, long other) {
		return one - other < 0;
	}

	private static long earlier(long one, long other) {
		return isBefore(one, other) ? one : other;
	}

}
