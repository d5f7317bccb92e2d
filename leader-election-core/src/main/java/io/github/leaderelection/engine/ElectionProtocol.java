package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.SessionProtocol.Life;
import io.github.leaderelection.engine.TermState.Handover;
import io.github.leaderelection.engine.TermState.Loss;
import io.github.leaderelection.engine.TermState.Phase;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Decides who holds a lease: the protocol of one candidate in one election, as pure
 * functions of what it knows, what it learns, and the time. Nothing here blocks, reads a
 * clock or changes anything. Whether a holder lives is decided by
 * {@link SessionProtocol}.
 * <p>
 * In short:
 * <ol>
 * <li>A lease that is vacant, or one's own, may be taken at once; that of another when
 * the session of its holder has ended ({@link #isAvailable}). Whoever finds the holder
 * silent for too long ends its session first; where it has none a tombstone is created,
 * to be watched ({@link #intent}).</li>
 * <li>Each taking is a compare-and-set on the lease as seen, with a term above every term
 * seen. Only the answer to that very call makes a leader, and only while this process
 * believes in the session that the lease names ({@link #taken}).</li>
 * <li>A term ends with that belief ({@link #lapsed}, {@link #orphaned}), or when the
 * lease is found to show something else: a leader looks at its own as often as it renews,
 * for somebody may have removed or edited it, and does not believe in its term for longer
 * than a lease that is missing counts as held ({@link #looked}, {@link #sureUntil}).</li>
 * <li>A failed call is doubt, not loss. A taking in doubt is resolved by looking, or, by
 * who does not want the lease any more, by a change that makes it come to nothing
 * ({@link #takeFailed}, {@link #intent}).</li>
 * <li>Who resigns first drains: no new work, the old ends, candidates are told, and only
 * then is the lease released ({@link #resign}, {@link #settled}).</li>
 * <li>A lease that is held and not led is given back, since it does not expire while its
 * holder lives: a margin after the belief has ended, a time to live after a drain that
 * took too long, at once when it is not wanted ({@link #lose}, {@link #giveBack}).</li>
 * <li>Who resigns may leave the lease to a certain candidate: for two poll intervals the
 * others let it have its way ({@link #isAvailable}).</li>
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

	/**
	 * After how many times its time to live to look again at a lease that is held, where
	 * its changes are pushed, in case that one was not.
	 */
	private static final int PUSHED_LOOKS = 5;

	private final String candidateId;

	private final ElectionSettings settings;

	private final SessionProtocol lives;

	/**
	 * Create the protocol of a candidate.
	 * @param lives decides whether the holders of leases live
	 */
	ElectionProtocol(String candidateId, ElectionSettings settings, SessionProtocol lives) {
		this.candidateId = candidateId;
		this.settings = settings;
		this.lives = lives;
	}

	ElectionSettings settings() {
		return this.settings;
	}

	ElectionState begin(String election, Moment now) {
		return new ElectionState(election, true, null, null, null, 0, now.nanos(), now.nanos());
	}

	/** Begin again where this process has been before. */
	ElectionState recall(ElectionState begun, PastElections.Past past, Moment now) {
		ElectionState recalled = new ElectionState(begun.election(), !past.paused(), null, null, null,
				past.highestTerm(), begun.nextLook(), now.nanos());
		return recalled.standDownUntil(past.notBefore());
	}

	// What to ask of the store

	/**
	 * Return what to ask of the store now, or {@code null} for nothing.
	 * @param holder what was last seen of the session of whoever holds the lease
	 */
	@Nullable Intent intent(ElectionState state, @Nullable SessionSighting holder, Moment now) {
		TermState term = state.term();
		if (term != null) {
			Intent own = isDue(term.nextCall(), now) ? intent(term) : null;
			return (own == null && looksOn(state) && isDue(state.nextLook(), now)) ? new Intent.Read() : own;
		}
		Lease doubt = state.doubt();
		if (!state.standing() && doubt == null) {
			return null;
		}
		if (isDue(state.nextLook(), now)) {
			return new Intent.Read();
		}
		Sighting sighting = state.sighting();
		Lease lease = (sighting != null) ? sighting.lease() : null;
		if (!state.standing()) {
			return (isUnresolved(state) && doubt != null && isDue(state.notBefore(), now))
					? new Intent.Release(doubt, doubt.successor()) : null;
		}
		if (sighting == null || !isDue(state.notBefore(), now)) {
			return null;
		}
		if (sighting.kind() == Sighting.Kind.MISSING) {
			return isAvailable(state, holder, now) ? new Intent.Create(state.highestTerm()) : null;
		}
		if (sighting.kind() == Sighting.Kind.DAMAGED || lease == null || flaw(state, lease) != null) {
			return null;
		}
		if (isAvailable(state, holder, now)) {
			return new Intent.Take(lease, Math.max(state.highestTerm(), lease.term()) + 1);
		}
		return isFree(lease) || lease.isVacant() ? null : intentForHeld(lease, holder, now);
	}

	/** Return whether it wants to know who leads while the work of its own term ends. */
	private static boolean looksOn(ElectionState state) {
		TermState term = state.term();
		return state.standing() && term != null && term.isLost();
	}

	/** Return whether the taking in doubt may still come true. */
	private static boolean isUnresolved(ElectionState state) {
		Lease seen = state.presentLease();
		return state.doubt() != null && seen != null && seen.isSameRevisionAs(state.doubt());
	}

	private static @Nullable Intent intent(TermState term) {
		return switch (term.phase()) {
			case LEADING, DRAINING -> new Intent.Read();
			case RELEASING -> term.kept() ? new Intent.Release(term.lease(), term.successor()) : new Intent.Read();
			case STOPPING -> term.kept() ? new Intent.Release(term.lease(), null) : new Intent.Read();
			case LINGERING, LEFT -> null;
		};
	}

	private @Nullable Intent intentForHeld(Lease lease, @Nullable SessionSighting holder, Moment now) {
		Session session = (holder != null) ? holder.session() : null;
		boolean due = holder != null && isDue(holder.freeAt(), now);
		return switch (this.lives.life(holder, now)) {
			case UNKNOWN -> new Intent.Watch();
			case MISSING -> due ? new Intent.Bury(lease.tombstone()) : null;
			case SILENT -> (due && session != null) ? new Intent.Expire(session) : null;
			case ALIVE, ENDED -> null;
		};
	}

	/**
	 * Return why nobody can follow whoever holds or held this lease, {@code null} if
	 * somebody can: there are no numbers left for the next term. What was edited to look
	 * so must not be remembered as the highest term, or no repair would help.
	 */
	@Nullable String flaw(ElectionState state, Lease lease) {
		TermState term = state.term();
		if (term != null && term.lease().isSameRevisionAs(lease)) {
			// Whoever comes next is concerned.
			return null;
		}
		long most = Lease.MAX_TERM - 1;
		if (lease.term() > most) {
			return "'term' must be %d at most, for the next to be greater, but is %d".formatted(most, lease.term());
		}
		if (lease.revision() > most - 1) {
			return "'revision' must be %d at most, for it to be taken and given back, but is %d".formatted(most - 1,
					lease.revision());
		}
		return (state.highestTerm() > most)
				? "'term' must be greater than it was, but was %d, and can't be. ".formatted(state.highestTerm())
						+ "Restart all instances when it is repaired"
				: null;
	}

	/** Return whether a look that is not due yet may as well go along with others. */
	boolean mayGoAlong(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term != null && !looksOn(state)) {
			return term.isOpen() && isDue(term.nextCall() - this.settings.renewInterval().toNanos() / 2, now);
		}
		return state.standing() && isDue(state.nextLook() - this.settings.pollInterval().toNanos() / 2, now);
	}

	/**
	 * Return whether it takes more than reading to get on: a lease is to be given back
	 * now, or is there to be taken, now or after a pause. One that is kept for the sake
	 * of work which goes on is to be given back when its time has come.
	 */
	boolean needsChange(ElectionState state, @Nullable SessionSighting holder, Moment now) {
		TermState term = state.term();
		if (term != null) {
			return term.phase() == Phase.RELEASING || (term.phase() == Phase.STOPPING && isDue(term.nextCall(), now));
		}
		return state.standing() && isAvailable(state, holder, now);
	}

	/**
	 * Return whether there is no use in waiting for now: whoever holds the lease lives,
	 * or nobody can tell. A holder that has no session is waited for: that it has been
	 * without one for its time to live is found by nobody who does not stay for as long.
	 */
	boolean isBlocked(ElectionState state, @Nullable SessionSighting holder, Moment now) {
		Sighting sighting = state.sighting();
		if (!state.standing() || state.term() != null || sighting == null) {
			return false;
		}
		Lease lease = sighting.lease();
		return switch (sighting.kind()) {
			case DAMAGED -> true;
			case MISSING -> lease != null && !hasOutlived(lease, sighting, now);
			case PRESENT -> lease != null && !lease.isVacant() && !lease.isHeldBy(this.candidateId) && !isBuried(holder)
					&& this.lives.life(holder, now) == Life.ALIVE;
		};
	}

	private static boolean isBuried(@Nullable SessionSighting holder) {
		Session session = (holder != null) ? holder.session() : null;
		return session != null && session.isTombstone();
	}

	private boolean isAvailable(ElectionState state, @Nullable SessionSighting holder, Moment now) {
		Sighting sighting = state.sighting();
		if (sighting == null) {
			return false;
		}
		Lease lease = sighting.lease();
		return switch (sighting.kind()) {
			case DAMAGED -> false;
			case MISSING -> lease == null || hasOutlived(lease, sighting, now);
			case PRESENT ->
				lease != null && (isFree(lease) || isForsaken(lease, sighting, now) || isAbandoned(lease, holder, now));
		};
	}

	/**
	 * Return whether the lease may be taken at once: nobody else holds it, and it is kept
	 * for nobody else.
	 */
	private boolean isFree(Lease lease) {
		return lease.isHeldBy(this.candidateId) || (lease.isVacant() && !isKept(lease));
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

	private boolean isAbandoned(Lease lease, @Nullable SessionSighting holder, Moment now) {
		return !lease.isVacant() && holder != null && isDue(holder.freeAt(), now)
				&& this.lives.life(holder, now) == Life.ENDED;
	}

	/** Return whether a lease that is missing has been so for its time to live. */
	boolean hasOutlived(Lease lease, Sighting sighting, Moment now) {
		return isDue(sighting.since() + lease.ttl().toNanos(), now);
	}

	/**
	 * Return the monotonic time at which {@link #tick} may have something to say, if
	 * nothing happens before.
	 */
	long tickAt(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isOpen()) {
			return farOff(now);
		}
		Moment sureUntil = term.sureUntil();
		// A wall clock may be set back, or forward, by centuries.
		long millis = Math.max(0, Math.min(sureUntil.millis() - now.millis(), this.settings.ttl().toMillis()));
		long at = earlier(now.plus(Duration.ofMillis(millis)).nanos(), sureUntil.nanos());
		Handover handover = (term.phase() == Phase.DRAINING) ? term.handover() : null;
		return (handover != null) ? earlier(at, drainUntil(handover)) : at;
	}

	private long drainUntil(Handover handover) {
		return handover.since().plus(this.settings.drainTimeout()).nanos();
	}

	private long farOff(Moment now) {
		return now.plus(this.settings.ttl()).nanos();
	}

	/**
	 * Return the monotonic time at which {@link #intent} or {@link #tick} may have
	 * something new to say, if nothing happens before.
	 */
	long wakeAt(ElectionState state, @Nullable SessionSighting holder, Moment now) {
		TermState term = state.term();
		if (term != null) {
			boolean calls = term.isOpen() || term.isToBeReleased();
			long wake = calls ? earlier(term.nextCall(), tickAt(state, now)) : farOff(now);
			return looksOn(state) ? earlier(wake, state.nextLook()) : wake;
		}
		if (!state.standing()) {
			long resolve = isUnresolved(state) ? earlier(state.nextLook(), state.notBefore()) : state.nextLook();
			return (state.doubt() != null) ? resolve : farOff(now);
		}
		long wake = state.nextLook();
		Sighting sighting = state.sighting();
		if (sighting == null || sighting.kind() == Sighting.Kind.DAMAGED) {
			return wake;
		}
		Lease lease = sighting.lease();
		if (sighting.kind() == Sighting.Kind.PRESENT && (lease == null || flaw(state, lease) != null)) {
			return wake;
		}
		long takeable = takeableAt(sighting, lease, holder, now);
		return earlier(wake, isBefore(takeable, state.notBefore()) ? state.notBefore() : takeable);
	}

	private long takeableAt(Sighting sighting, @Nullable Lease lease, @Nullable SessionSighting holder, Moment now) {
		if (lease == null) {
			return now.nanos();
		}
		if (sighting.kind() == Sighting.Kind.MISSING) {
			return sighting.since() + lease.ttl().toNanos();
		}
		if (lease.isVacant() || isFree(lease)) {
			return isFree(lease) ? now.nanos() : forsakenAt(sighting);
		}
		if (holder == null) {
			// Asked for by whoever looks at sessions.
			return farOff(now);
		}
		Session session = holder.session();
		return (session == null || session.ended()) ? holder.freeAt() : SessionProtocol.endsAt(session.ttl(), holder);
	}

	// What the store answered

	/**
	 * A look that began at the given time has shown this lease, or none.
	 * @param pushed whether changes are pushed
	 */
	ElectionState looked(ElectionState state, @Nullable Lease lease, Moment sentAt, boolean pushed, Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen()) {
			return lookedAtOwn(state, term, lease, sentAt, now);
		}
		Sighting before = state.sighting();
		if (before != null && isBefore(sentAt.nanos(), before.since())
				&& ((lease != null) ? before.isNewerThan(lease) : before.kind() == Sighting.Kind.PRESENT)) {
			// Overtaken by what was pushed meanwhile.
			return state.lookAt(now.plus(this.settings.pollInterval()).nanos());
		}
		Sighting seen = (lease != null) ? Sighting.present(lease, state.sighting(), now.nanos())
				: Sighting.missing(state.sighting(), now.nanos());
		ElectionState next = state.withSighting(seen).lookAt(nextLook(lease, pushed, now));
		boolean forgotten = before == null && state.highestTerm() > 0;
		if (seen.kind() == Sighting.Kind.MISSING
				&& (forgotten || (before != null && before.kind() == Sighting.Kind.DAMAGED))) {
			// There was a lease, and who held it, for how long, is not known, or no more.
			next = next.standDownUntil(now.plus(this.settings.ttl()).nanos());
		}
		// What was given back, and is there all the same, is given back again later.
		boolean again = lease != null && before != null && before.isNewerThan(lease);
		Duration pause = again ? this.settings.pollInterval() : Duration.ZERO;
		return giveBack(cautious(withoutDoubt(lookedAtHeld(next, lease, now), lease), before, now), pause, now);
	}

	/**
	 * What is to be given back may have changed: it is given back as it is now. That it
	 * is not this candidate's any more is told by another holder or a later revision that
	 * is vacant, and not by a look that shows nothing, or what was before.
	 */
	private ElectionState lookedAtHeld(ElectionState state, @Nullable Lease lease, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isToBeReleased()) {
			return state;
		}
		Lease own = term.lease();
		boolean older = lease != null && (lease.term() < own.term() || lease.revision() < own.revision());
		if (lease != null && !older && isOwn(lease, own)) {
			return state.withTerm(term.seenAs(lease));
		}
		if (term.phase() == Phase.RELEASING) {
			// Whatever it turns out to be is given back, or taken, as any other.
			boolean gone = !term.kept() && !older;
			return gone ? finish(state, term, now).lookAt(state.nextLook()) : doubtedHeld(state, term, now);
		}
		return (lease != null && !older) ? state.withTerm(term.linger()) : doubtedHeld(state, term, now);
	}

	/** Nothing was found out of what is to be given back: look again later. */
	private ElectionState doubtedHeld(ElectionState state, TermState term, Moment now) {
		long later = now.plus(this.settings.pollInterval()).nanos();
		return (term.kept() || isBefore(later, term.nextCall())) ? state : state.withTerm(term.doubted(later));
	}

	/** Return whether the lease is held under this very term. */
	private boolean isOwn(Lease lease, Lease own) {
		return lease.isHeldBy(this.candidateId) && lease.session() == own.session() && lease.term() == own.term();
	}

	/**
	 * A leader has looked at its lease. What is older than its own taking may be shown by
	 * a server that is behind, once.
	 */
	private ElectionState lookedAtOwn(ElectionState state, TermState term, @Nullable Lease lease, Moment sentAt,
			Moment now) {
		Lease own = term.lease();
		if (lease != null && lease.term() < own.term() && term.kept()) {
			return state.withTerm(term.doubted(now.plus(retryDelay()).nanos()));
		}
		if (lease == null || lease.term() != own.term() || lease.session() != own.session()
				|| !lease.isHeldBy(this.candidateId) || !lease.ttl().equals(own.ttl())) {
			Sighting seen = (lease != null) ? Sighting.present(lease, state.sighting(), now.nanos())
					: Sighting.missing(state.sighting(), now.nanos());
			return lose(state.withSighting(seen), term, LossReason.TAKEN_OVER, now);
		}
		if (term.sureUntil().hasComeAt(now)) {
			return lose(state, term, LossReason.EXPIRED, now);
		}
		return state.withTerm(term.seenAs(lease, sureUntil(sentAt), nextCheck(sentAt)));
	}

	/**
	 * Return until when a term is good if its lease was seen by a call that was sent at
	 * the given time. Somebody may remove it right after that; then others take it for
	 * held for its time to live, from when they find it missing.
	 */
	Moment sureUntil(Moment sentAt) {
		return sentAt.plus(this.settings.ttl().minus(this.settings.safetyMargin()));
	}

	/**
	 * As often as it renews, but at least twice and at most ten times in a time to live.
	 */
	private long nextCheck(Moment sentAt) {
		Duration ttl = this.settings.ttl();
		Duration often = Rhythm.longer(this.settings.renewInterval(), ttl.dividedBy(10));
		return sentAt.plus(Rhythm.shorter(often, ttl.dividedBy(2))).nanos();
	}

	/** A taking in doubt can't come true any more when the lease has moved on. */
	private static ElectionState withoutDoubt(ElectionState state, @Nullable Lease seen) {
		Lease doubt = state.doubt();
		boolean resolved = doubt != null
				&& (seen == null || seen.revision() > doubt.revision() || seen.term() > doubt.term());
		return resolved ? state.withDoubt(null) : state;
	}

	/**
	 * Give back what this process holds and is not going to lead: nobody else could take
	 * it while this process lives.
	 */
	private ElectionState giveBack(ElectionState state, Duration pause, Moment now) {
		Lease lease = state.presentLease();
		boolean wanted = state.standing() && isDue(state.notBefore(), now);
		return (lease != null && state.term() == null && !wanted && lease.isHeldBy(this.candidateId))
				? giveBack(state, lease, now.plus(pause)) : state;
	}

	private ElectionState giveBack(ElectionState state, Moment now) {
		return giveBack(state, Duration.ZERO, now);
	}

	/** Give this lease back at the given time. */
	ElectionState giveBack(ElectionState state, Lease lease, Moment at) {
		return state.withTerm(TermState.unwanted(lease, at));
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
	ElectionState lookedAtDamage(ElectionState state, boolean pushed, Moment now) {
		ElectionState seen = state.withSighting(Sighting.damaged(state.sighting(), now.nanos()))
			.lookAt(nextLook(null, pushed, now));
		TermState term = state.term();
		if (term == null) {
			return seen;
		}
		return term.isOpen() ? lose(seen, term, LossReason.TAKEN_OVER, now)
				: term.isToBeReleased() ? doubtedHeld(seen, term, now) : seen;
	}

	/**
	 * Return when to look again. Where changes are pushed there is little to look for: it
	 * is a matter of how soon one is found that was not.
	 */
	private long nextLook(@Nullable Lease lease, boolean pushed, Moment now) {
		if (!pushed) {
			return now.plus(this.settings.pollInterval()).nanos();
		}
		boolean held = lease != null && !lease.isVacant();
		Duration rarely = held ? this.settings.ttl().multipliedBy(PUSHED_LOOKS)
				: Rhythm.longer(this.settings.renewInterval(), this.settings.pollInterval());
		return now.plus(rarely).nanos();
	}

	/**
	 * A change was pushed. It may be late: what is already known to be older is ignored,
	 * and the own term is ended only by a later one.
	 */
	ElectionState noticed(ElectionState state, Lease lease, boolean pushed, Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen()) {
			if (isOwn(lease, term.lease())) {
				// Somebody has asked for something: that is another revision.
				return (lease.revision() > term.lease().revision()) ? state.withTerm(term.seenAs(lease)) : state;
			}
			if (lease.term() <= term.number()) {
				// Of an older one that is all the same: it is how this term began.
				return (lease.term() == term.number() && !lease.isHeldBy(this.candidateId)) ? doubted(state, now)
						: state;
			}
			ElectionState seen = state.withSighting(Sighting.present(lease, state.sighting(), now.nanos()));
			return lose(seen, term, LossReason.TAKEN_OVER, now);
		}
		Sighting sighting = state.sighting();
		if (sighting != null && !sighting.isSupersededBy(lease)) {
			return state;
		}
		ElectionState next = state.withSighting(Sighting.present(lease, sighting, now.nanos()))
			.lookAt(nextLook(lease, pushed, now));
		return giveBack(cautious(withoutDoubt(lookedAtHeld(next, lease, now), lease), sighting, now), now);
	}

	/** Something may have changed, as it often does: look by the given time. */
	ElectionState lookBy(ElectionState state, long time) {
		return isBefore(time, state.nextLook()) ? state.lookAt(time) : state;
	}

	/**
	 * Something may have changed: look at once. A leader does not do so as soon: nobody
	 * knows how often this is said, and of what.
	 */
	ElectionState lookAgain(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isOpen()) {
			return state.lookAt(now.nanos());
		}
		long soon = now.plus(this.settings.pollInterval()).nanos();
		return state.withTerm(term.callAgainAt(earlier(term.nextCall(), soon)));
	}

	/**
	 * The lease is said to be gone, or to be somebody else's. That may be about an
	 * earlier one, or be late: a document was removed and made again, and this term began
	 * after that. So it ends no term, but is looked for at once.
	 */
	ElectionState doubted(ElectionState state, Moment now) {
		TermState term = state.term();
		return (term != null && term.isOpen()) ? state.withTerm(term.callAgainAt(now.nanos()))
				: state.lookAt(now.nanos());
	}

	/**
	 * The lease was taken.
	 * @param alive whether this process believes in the session that the lease names, now
	 * that the answer is there
	 * @param sentAt a time before the call was sent
	 */
	ElectionState taken(ElectionState state, Lease lease, boolean alive, Moment sentAt, Moment now) {
		ElectionState seen = changed(state, lease, now).withDoubt(null);
		if (!state.standing()) {
			// Withdrawn meanwhile: nobody was told, so there is nothing to drain.
			return giveBack(seen, lease, now);
		}
		if (!alive || sureUntil(sentAt).hasComeAt(now)) {
			// Answered too late to be of use. The next look shows the own lease, to be
			// taken again under a new term.
			return seen.lookAt(now.nanos());
		}
		return seen.withTerm(TermState.begin(lease, sureUntil(sentAt), nextCheck(sentAt), now));
	}

	/**
	 * This process has made this of the lease, or has tried in vain. Whatever was seen of
	 * a later one meanwhile is how it is now.
	 */
	private static ElectionState changed(ElectionState state, Lease lease, Moment now) {
		Sighting before = state.sighting();
		return (before == null || before.isSupersededBy(lease))
				? state.withSighting(Sighting.present(lease, before, now.nanos())) : state;
	}

	/** The lease was created, vacant: look what is there now. */
	ElectionState created(ElectionState state, Moment now) {
		return lookAgain(state, now);
	}

	/** There is a lease already. If the next look shows none, don't insist. */
	ElectionState createRefused(ElectionState state, Moment now) {
		return lookAgain(state.standDownUntil(now.plus(this.settings.pollInterval()).nanos()), now);
	}

	/**
	 * The lease is not known to have been taken: someone else was faster, or it was one
	 * of several. Look what is there now.
	 */
	ElectionState takeRefused(ElectionState state, Lease expected, Moment now) {
		ElectionState doubtful = state.withDoubt(expected);
		Sighting sighting = state.sighting();
		if (sighting == null || sighting.lease() == null || !sighting.lease().isSameRevisionAs(expected)) {
			return lookAgain(doubtful, now);
		}
		return lookAgain(doubtful.withSighting(sighting.withRefused(true)), now);
	}

	/** Nobody knows whether the lease was taken, or will be. */
	ElectionState takeFailed(ElectionState state, Lease expected, Moment now) {
		return callFailed(state.withDoubt(expected), now);
	}

	/** The term's own clock reading found its deadline passed. */
	ElectionState lapsed(ElectionState state, long number, Moment now) {
		TermState term = state.term();
		if (term == null || term.number() != number || !term.isOpen()) {
			return state;
		}
		return lose(state, term, LossReason.EXPIRED, now);
	}

	/** Somebody has ended the session of this process that the lease names. */
	ElectionState orphaned(ElectionState state, Moment now) {
		TermState term = state.term();
		return (term != null && term.isOpen()) ? lose(state, term, LossReason.TAKEN_OVER, now) : state;
	}

	/** The lease was given back. */
	ElectionState released(ElectionState state, Lease expected, @Nullable String successor, Moment now) {
		TermState term = state.term();
		if (term == null) {
			// A taking in doubt, that nobody wants any more, was to come to nothing. If
			// the next look shows that it did not, don't insist.
			long later = now.plus(this.settings.pollInterval()).nanos();
			return lookAgain(state.standing() ? state : state.standDownUntil(later), now);
		}
		if (!term.lease().isSameRevisionAs(expected) || term.isOpen()) {
			return state;
		}
		Lease vacant = expected.released(successor);
		ElectionState next = changed(state, vacant, now);
		return (term.phase() == Phase.RELEASING) ? finish(next, term, now) : next.withTerm(term.linger());
	}

	/**
	 * The lease is not known to have been given back: it was not as expected, or it was
	 * one of several. Look what is there now.
	 */
	ElectionState releaseRefused(ElectionState state, Lease expected, Moment now) {
		TermState term = state.term();
		if (term == null) {
			// A taking in doubt that nobody wants any more: it may have been made.
			long later = now.plus(this.settings.pollInterval()).nanos();
			return lookAgain(state.standing() ? state : state.standDownUntil(later), now);
		}
		return (term.isToBeReleased() && term.lease().isSameRevisionAs(expected))
				? state.withTerm(term.doubted(now.nanos())) : state;
	}

	/**
	 * A call has failed, its outcome is unknown: try again soon. A follower looks before
	 * it tries anything else.
	 */
	ElectionState callFailed(ElectionState state, Moment now) {
		long later = now.plus(this.settings.pollInterval()).nanos();
		TermState term = state.term();
		if (term != null) {
			long soon = now.plus(retryDelay()).nanos();
			// What is kept for work that is still ending is not given back before its
			// time.
			boolean early = term.isLost() && isBefore(soon, term.nextCall());
			ElectionState next = looksOn(state) ? state.lookAt(later) : state;
			return early ? next : next.withTerm(term.callAgainAt(soon));
		}
		return state.lookAt(later).standDownUntil(later);
	}

	private Duration retryDelay() {
		return Rhythm.of(this.settings).retryDelay();
	}

	// What this process does

	/** Time has passed. */
	ElectionState tick(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen() && term.sureUntil().hasComeAt(now)) {
			return lose(state, term, LossReason.EXPIRED, now);
		}
		Handover handover = (term != null && term.phase() == Phase.DRAINING) ? term.handover() : null;
		if (term != null && handover != null && isDue(drainUntil(handover), now)) {
			return stop(state, term, new Loss(handover.reason(), true, now), this.settings.ttl());
		}
		return state;
	}

	/** Stand in the election again after having withdrawn. */
	ElectionState stand(ElectionState state, Moment now) {
		return state.withStanding(true).lookAt(now.nanos());
	}

	/** No longer stand in the election, but go on to lead it. */
	ElectionState standNoMore(ElectionState state, Moment now) {
		return giveBack(state.withStanding(false), now);
	}

	/** No longer stand in the election, and hand over if leading. */
	ElectionState withdraw(ElectionState state, LossReason reason, Moment now) {
		return resign(giveBack(state.withStanding(false), now), reason, now);
	}

	/** Hand over if leading. */
	ElectionState resign(ElectionState state, LossReason reason, Moment now) {
		return resign(state, reason, null, now);
	}

	/** Hand over, if leading, to a certain candidate. */
	ElectionState resign(ElectionState state, LossReason reason, @Nullable String successor, Moment now) {
		return handOver(state, new Handover(reason, successor, null, now));
	}

	ElectionState handOver(ElectionState state, Handover how) {
		TermState term = state.term();
		if (term == null || term.phase() != Phase.LEADING) {
			return state;
		}
		return state.withTerm(term.drain(how));
	}

	/**
	 * The lease, as it is now or was a moment ago, may ask for this term to be handed
	 * over. Who leads has looked at its lease within its time to live, and leads no more
	 * once it has handed over: no request is older than that, or obeyed twice.
	 */
	ElectionState asked(ElectionState state, Lease lease, Moment now) {
		HandoverRequest request = lease.request();
		TermState term = state.term();
		if (request == null || term == null || request.term() != term.number() || lease.term() != term.number()
				|| !lease.isHeldBy(this.candidateId) || this.candidateId.equals(request.successor())) {
			return state;
		}
		return handOver(state, new Handover(LossReason.RESIGNED, request.successor(), request.by(), now));
	}

	/**
	 * All work and all callbacks of the term have ended.
	 * @param leftBehind except those that wait for this process to end, or to close. They
	 * may go on when it has closed, so the lease is not released but left as it is,
	 * whoever shows it: it can be taken when this process has been gone for its time to
	 * live. This process, which never stands again, need not wait for their end.
	 */
	ElectionState settled(ElectionState state, long number, boolean leftBehind, Moment now) {
		TermState term = state.term();
		boolean draining = state.isIn(Phase.DRAINING);
		if (term == null || term.number() != number || !(draining || term.isLost())) {
			return state;
		}
		if (leftBehind) {
			return state.withTerm(term.leave());
		}
		return (term.phase() == Phase.LINGERING) ? finish(state, term, now) : state.withTerm(term.release(now.nanos()));
	}

	/**
	 * The term stays until its work has ended: until then this process, though it no
	 * longer leads, does not begin another term beside the old one's work. The lease does
	 * not stay for so long: others shall lead meanwhile. Where somebody else is seen to
	 * hold it there is nothing to give back.
	 */
	private ElectionState lose(ElectionState state, TermState term, LossReason reason, Moment now) {
		Loss loss = new Loss(reason, false, now);
		Lease seen = state.presentLease();
		boolean replaced = seen != null && !isOwn(seen, term.lease())
				&& (seen.term() > term.number() || seen.revision() > term.lease().revision());
		return replaced ? state.withTerm(term.linger(loss)).lookAt(now.nanos())
				: stop(state, term, loss, this.settings.safetyMargin());
	}

	private static ElectionState stop(ElectionState state, TermState term, Loss loss, Duration grace) {
		boolean kept = loss.reason() != LossReason.TAKEN_OVER;
		return state.withTerm(term.stop(loss, kept, loss.at().plus(grace).nanos())).lookAt(loss.at().nanos());
	}

	private ElectionState finish(ElectionState state, TermState term, Moment now) {
		ElectionState finished = state.withTerm(null).lookAt(now.nanos());
		return term.isGivenUp() ? finished.standDownUntil(now.plus(this.settings.cooldown()).nanos()) : finished;
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

	/** What happens to the state of an election at one moment. */
	@FunctionalInterface
	interface Transition {

		ElectionState next(ElectionProtocol protocol, ElectionState state, Moment now);

	}

}
