package io.github.leaderelection.protocol;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.protocol.ElectionState.LeaseObservation;
import io.github.leaderelection.protocol.ElectionState.LeaseObservation.Kind;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.SessionProtocol.Life;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState.Handover;
import io.github.leaderelection.protocol.TermState.Loss;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Decides who holds a lease: the protocol of one candidate in one election, as pure
 * functions of what it knows, what it learns, and the time. {@link #on} makes the next
 * state, and {@link #next} tells what follows for the store, and when. Nothing here
 * blocks, reads a clock or changes anything. Whether a holder lives is decided by
 * {@link SessionProtocol}.
 * <p>
 * In short:
 * <ol>
 * <li>A lease that is vacant, or one's own, may be taken at once; that of another when
 * the session of its holder has ended. Whoever finds the holder silent for too long ends
 * its session first; where it has none a tombstone is inserted, to be watched
 * ({@link #next}).</li>
 * <li>Each taking is a compare-and-set on the lease as seen, with a term above every term
 * seen. Only the answer to that very call makes a leader, and only while the session is
 * good that the lease names ({@link #taken}).</li>
 * <li>A term ends with that session ({@link #ended}), or when the lease is found to show
 * something else: a leader reads its own as often as it renews, for somebody may have
 * removed or edited it, and leads no longer than a lease that is missing counts as held
 * ({@link #read}, {@link #validUntil}).</li>
 * <li>A failed call is doubt, not loss. A taking in doubt is resolved by reading, or, by
 * whoever does not want the lease any more, by a change that makes it come to nothing
 * ({@link #unanswered}).</li>
 * <li>Whoever resigns first drains: no new work, the old ends, candidates are told, and
 * only then is the lease released ({@link #handOver}, {@link #settled}).</li>
 * <li>A lease that is held and not led is given back, since it does not expire while its
 * holder lives: a margin after the term was lost, a time to live after a drain that took
 * too long, at once when it is not wanted ({@link #giveBack}).</li>
 * <li>Whoever resigns may leave the lease to a certain candidate: for two poll intervals
 * the others let it have its way.</li>
 * <li>A lease that vanished is treated as held for its time to live, from when it was
 * first found missing, or replaced by one of an earlier term.</li>
 * </ol>
 */
public class ElectionProtocol {

	/**
	 * For how many poll intervals a lease is kept for a successor: enough to find out
	 * without push.
	 */
	private static final int SUCCESSOR_POLLS = 2;

	/**
	 * After how many times its time to live, and up to twice that, to read a lease again
	 * that is held, where its changes are pushed, in case that one was not.
	 */
	private static final int PUSHED_READS = 5;

	private final String candidateId;

	private final Timing timing;

	private final SessionProtocol sessions;

	/**
	 * Create the protocol of a candidate.
	 * @param candidateId the id of the candidate
	 * @param timing what the election goes by
	 * @param sessions decides whether the holders of leases live
	 */
	public ElectionProtocol(String candidateId, Timing timing, SessionProtocol sessions) {
		this.candidateId = candidateId;
		this.timing = timing;
		this.sessions = sessions;
	}

	/**
	 * Begin in an election of which nothing is known but what is remembered.
	 * @param election the election name
	 * @param highestTerm the highest term ever seen, 0 for none
	 * @param notBefore when it may take the lease at the earliest; monotonic time
	 * @param now the present
	 * @return the state
	 */
	public ElectionState begin(String election, long highestTerm, long notBefore, Moment now) {
		return new ElectionState(election, Wish.LEAVE, null, null, null, highestTerm, now.nanos(),
				Moment.later(notBefore, now.nanos()), Backoff.none(now));
	}

	/**
	 * Return the state that follows when something was learnt.
	 * @param state the state
	 * @param event what was learnt
	 * @param now the present
	 * @return the next state
	 */
	public final ElectionState on(ElectionState state, ElectionEvent event, Moment now) {
		return obey(event.on(this, state, now), now);
	}

	/**
	 * Do what the lease and this process itself want of its holder. Whoever leads has
	 * read its lease within its time to live, and leads no more once it has handed over:
	 * no request is older than that, or obeyed twice.
	 */
	private ElectionState obey(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null) {
			Lease lease = state.presentLease();
			return (lease != null && !mayTake(state, now)) ? giveBack(state, lease, now) : state;
		}
		if (term.phase() != Phase.LEADING) {
			return state;
		}
		if (state.wish() == Wish.LEAVE) {
			return handOver(state, new Handover(LossReason.SHUTDOWN, null, null, now));
		}
		if (state.wish() == Wish.PAUSE || state.isPaused()) {
			return handOver(state, new Handover(LossReason.RESIGNED, null, null, now));
		}
		HandoverRequest request = term.lease().request();
		return (request != null && request.term() == term.number() && !this.candidateId.equals(request.successor()))
				? handOver(state, new Handover(LossReason.RESIGNED, request.successor(), request.by(), now)) : state;
	}

	private static boolean mayTake(ElectionState state, Moment now) {
		return state.stands() && now.isDue(state.notBefore());
	}

	// What is next

	/**
	 * Return what to ask of the store next, and when it is due, unless something is
	 * learnt before.
	 * @param state the state
	 * @param holder what was last seen of the session of whoever holds the lease
	 * @param now the present
	 * @return the command, {@code null} if there is none before something is learnt
	 */
	public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
		TermState term = state.term();
		if (term != null) {
			Due own = next(state, term);
			Due read = looksOn(state) ? read(state) : null;
			return (own != null && now.isDue(own.at())) ? own : Due.first(own, read);
		}
		Due read = (state.follows() || state.doubt() != null) ? read(state) : null;
		if (read != null && now.isDue(read.at())) {
			// It reads before it tries anything else.
			return read;
		}
		return Due.first(read, state.stands() ? taking(state, holder, now) : undoing(state));
	}

	private static Due read(ElectionState state) {
		return new Due(new Command.ReadLease(), state.nextRead());
	}

	private static @Nullable Due next(ElectionState state, TermState term) {
		return switch (term.phase()) {
			case LEADING, DRAINING -> new Due(new Command.ReadLease(), term.nextCall());
			case RELEASING, STOPPING ->
				term.kept() ? releasing(state, term) : new Due(new Command.ReadLease(), term.nextCall());
			case LINGERING -> null;
		};
	}

	private static Due releasing(ElectionState state, TermState term) {
		return new Due(new Command.Release(term.lease(), term.successor()),
				Moment.later(term.nextCall(), state.backoff().until()));
	}

	/** Return whether it wants to know who leads while the work of its own term ends. */
	private static boolean looksOn(ElectionState state) {
		TermState term = state.term();
		return state.stands() && term != null && term.isLost();
	}

	/** Let a taking come to nothing that is in doubt, and not wanted any more. */
	private static @Nullable Due undoing(ElectionState state) {
		Lease doubt = state.doubt();
		Lease seen = state.presentLease();
		return (doubt != null && seen != null && seen.isSameRevisionAs(doubt))
				? new Due(new Command.Release(doubt, doubt.successor()), state.backoff().until()) : null;
	}

	/** Return what leads to the lease, and when. */
	private @Nullable Due taking(ElectionState state, @Nullable Observation holder, Moment now) {
		LeaseObservation seen = state.observation();
		if (seen == null || seen.kind() == Kind.DAMAGED) {
			return null;
		}
		long earliest = Moment.later(state.notBefore(), state.backoff().until());
		Lease lease = seen.lease();
		if (seen.kind() == Kind.MISSING || lease == null) {
			long gone = (lease != null) ? outlivedAt(lease, seen) : seen.since();
			return new Due(new Command.Create(state.highestTerm()), Moment.later(gone, earliest));
		}
		if (flaw(state, lease) != null) {
			return null;
		}
		Command take = new Command.Take(lease, Math.max(state.highestTerm(), lease.term()) + 1);
		long noticed = isFromBefore(state, lease) ? noticedAt(lease, seen) : earliest;
		if (lease.isVacant() || lease.isHeldBy(this.candidateId)) {
			long free = Moment.later(isFree(lease) ? seen.since() : forsakenAt(seen), earliest);
			return new Due(take, Moment.later(free, noticed));
		}
		Session session = (holder != null) ? holder.session() : null;
		long free = (holder != null) ? Moment.later(holder.freeAt(), earliest) : earliest;
		return switch (this.sessions.life(holder, now)) {
			case UNKNOWN -> null;
			case MISSING -> new Due(new Command.Bury(lease.tombstone()), free);
			case ALIVE -> (holder != null && session != null)
					? new Due(new Command.Expire(session), Moment.later(holder.silentAt(session.ttl()), free)) : null;
			case SILENT -> (session != null) ? new Due(new Command.Expire(session), free) : null;
			case ENDED -> new Due(take, Moment.later(free, noticed));
		};
	}

	/**
	 * Return whether the lease may be taken at once: nobody else holds it, and it is kept
	 * for nobody else.
	 */
	private boolean isFree(Lease lease) {
		boolean kept = lease.successor() != null && !lease.successor().equals(this.candidateId);
		return lease.isHeldBy(this.candidateId) || (lease.isVacant() && !kept);
	}

	/** Return when a lease that was kept for another has been vacant for too long. */
	private long forsakenAt(LeaseObservation seen) {
		return seen.since() + this.timing.pollInterval().multipliedBy(SUCCESSOR_POLLS).toNanos();
	}

	/**
	 * Return whether a later lease has vanished in favour of this one: that one was
	 * removed, and a request to insert this one was late, or it was rewound. Who leads
	 * under the later one may not know yet.
	 */
	protected boolean isFromBefore(ElectionState state, Lease lease) {
		return lease.term() < state.highestTerm();
	}

	/** Return when whoever led under a later lease has noticed that it vanished. */
	private long noticedAt(Lease lease, LeaseObservation seen) {
		return seen.since() + Timing.longer(lease.ttl(), this.timing.ttl()).toNanos();
	}

	/** Return when a lease that is missing has been so for its time to live. */
	protected long outlivedAt(Lease lease, LeaseObservation seen) {
		return seen.since() + lease.ttl().toNanos();
	}

	/**
	 * Return why nobody can follow whoever holds or held this lease. What was edited to
	 * look so must not be remembered as the highest term, or no repair would help.
	 * @param state the state
	 * @param lease the lease
	 * @return what is wrong, {@code null} if somebody can follow; else there are no
	 * numbers left for the next term
	 */
	public @Nullable String flaw(ElectionState state, Lease lease) {
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

	/**
	 * Return whether a read that is not due yet may as well go along with others.
	 * @param due what is next
	 * @param state the state
	 * @param now the present
	 * @return whether half of the time before it is over
	 */
	public boolean mayGoAlong(Due due, ElectionState state, Moment now) {
		Duration interval = state.isVouchedFor() ? this.timing.renewInterval() : this.timing.pollInterval();
		return due.command() instanceof Command.ReadLease && (state.isVouchedFor() || state.follows())
				&& now.isDue(due.at() - interval.toNanos() / 2);
	}

	/**
	 * Return whether there is no use in waiting for now: whoever holds the lease lives,
	 * or nobody can tell. A holder that has no session is waited for: that it has been
	 * without one for its time to live is found by nobody who does not stay for as long.
	 * @param state the state
	 * @param holder what was last seen of the session of whoever holds the lease
	 * @param now the present
	 * @return whether the lease is held elsewhere
	 */
	public boolean isHeldElsewhere(ElectionState state, @Nullable Observation holder, Moment now) {
		LeaseObservation seen = state.observation();
		if (!state.stands() || state.term() != null || seen == null) {
			return false;
		}
		Lease lease = seen.lease();
		Session session = (holder != null) ? holder.session() : null;
		return switch (seen.kind()) {
			case DAMAGED -> true;
			case MISSING -> lease != null && !now.isDue(outlivedAt(lease, seen));
			case PRESENT -> lease != null
					&& ((isFromBefore(state, lease) && !now.isDue(noticedAt(lease, seen))) || (!lease.isVacant()
							&& !lease.isHeldBy(this.candidateId) && !(session != null && session.isTombstone())
							&& this.sessions.life(holder, now) == Life.ALIVE));
		};
	}

	/**
	 * Return when time alone may change something, see {@link ElectionEvent#elapsed}.
	 * @param state the state
	 * @param now the present
	 * @return the monotonic time, a time to live from now if there is nothing before
	 */
	public long deadlineAt(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isOpen()) {
			return now.plus(this.timing.ttl()).nanos();
		}
		long at = term.validUntil().dueAt(now, this.timing.ttl());
		Handover handover = (term.phase() == Phase.DRAINING) ? term.handover() : null;
		return (handover != null) ? Moment.earlier(at, drainUntil(handover)) : at;
	}

	private long drainUntil(Handover handover) {
		return handover.since().plus(this.timing.drainTimeout()).nanos();
	}

	// What the store answered

	/** What is older than what was pushed meanwhile is no news. */
	protected ElectionState read(ElectionState state, @Nullable Lease lease, Moment sentAt, boolean pushed,
			Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen()) {
			return readOwn(state, term, lease, sentAt, now);
		}
		LeaseObservation before = state.observation();
		if (before != null && sentAt.nanos() - before.since() < 0
				&& ((lease != null) ? before.isNewerThan(lease) : before.kind() == Kind.PRESENT)) {
			return state.readAt(now.plus(this.timing.pollInterval()).nanos());
		}
		ElectionState next = state.observed(LeaseObservation.of(lease, before, now))
			.readAt(nextRead(lease, pushed, now));
		boolean forgotten = before == null && state.highestTerm() > 0;
		if (lease == null && (forgotten || (before != null && before.kind() == Kind.DAMAGED))) {
			// There was a lease, and who held it, for how long, is not known, or no more.
			next = next.notBefore(now.plus(this.timing.ttl()).nanos());
		}
		next = cautious(resolveDoubt(readHeld(next, lease, now), lease), before, now);
		// What was given back, and is there all the same, is given back again later.
		boolean again = before != null && lease != null && before.isNewerThan(lease) && !mayTake(next, now);
		return (again && lease != null) ? giveBack(next, lease, now.plus(this.timing.pollInterval())) : next;
	}

	/**
	 * What is to be given back may have changed: it is given back as it is now. That it
	 * is not this candidate's any more is told by another holder or a later revision that
	 * is vacant, and not by a read that shows nothing, or what was before.
	 */
	private ElectionState readHeld(ElectionState state, @Nullable Lease lease, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isToBeReleased()) {
			return state;
		}
		Lease own = term.lease();
		boolean behind = lease != null && own.isNewerThan(lease);
		if (lease != null && !behind && isOwn(lease, own)) {
			return state.term(term.seenAs(lease));
		}
		if (term.phase() == Phase.RELEASING) {
			// Whatever it turns out to be is given back, or taken, as any other. A lease
			// of an earlier term may be there for good: it was removed, and made anew.
			boolean earlier = lease != null && lease.term() < own.term();
			boolean gone = !term.kept() && (!behind || earlier);
			return gone ? finish(state, term, now).readAt(state.nextRead()) : doubtHeld(state, term, now);
		}
		return (lease != null && !behind) ? state.term(term.linger()) : doubtHeld(state, term, now);
	}

	/** Nothing was found out of what is to be given back: read again later. */
	private ElectionState doubtHeld(ElectionState state, TermState term, Moment now) {
		long later = now.plus(this.timing.pollInterval()).nanos();
		return (term.kept() || later - term.nextCall() < 0) ? state : state.term(term.doubted(later));
	}

	/** Return whether the lease is held under this very term. */
	private boolean isOwn(Lease lease, Lease own) {
		return lease.isHeldBy(this.candidateId) && lease.session() == own.session() && lease.term() == own.term();
	}

	/**
	 * A leader has read its lease. What is older than its own taking may be shown by a
	 * server that is behind, once.
	 */
	private ElectionState readOwn(ElectionState state, TermState term, @Nullable Lease lease, Moment sentAt,
			Moment now) {
		Lease own = term.lease();
		if (lease != null && lease.term() < own.term() && term.kept()) {
			return state.term(term.doubted(now.plus(this.timing.retryDelay()).nanos()));
		}
		if (lease == null || !isOwn(lease, own) || !lease.ttl().equals(own.ttl())) {
			return lose(state.observed(LeaseObservation.of(lease, state.observation(), now)), term,
					LossReason.TAKEN_OVER, now);
		}
		// A request or a pause may have been pushed meanwhile.
		Lease newest = (lease.revision() < own.revision()) ? own : lease;
		return term.validUntil().hasComeAt(now) ? lose(state, term, LossReason.EXPIRED, now)
				: state.term(term.seenAs(newest, validUntil(sentAt), nextCheck(sentAt)));
	}

	/**
	 * Return until when a term is good if its lease was seen by a call that was sent at
	 * the given time. Somebody may remove it right after that; then others take it for
	 * held for its time to live, from when they find it missing.
	 */
	protected Moment validUntil(Moment sentAt) {
		return sentAt.plus(this.timing.validity());
	}

	/**
	 * As often as it renews, but at least twice and at most ten times in a time to live.
	 */
	private long nextCheck(Moment sentAt) {
		Duration ttl = this.timing.ttl();
		Duration often = Timing.longer(this.timing.renewInterval(), ttl.dividedBy(10));
		return sentAt.plus(Timing.shorter(often, ttl.dividedBy(2))).nanos();
	}

	/** A taking in doubt can't come true any more when the lease has moved on. */
	private static ElectionState resolveDoubt(ElectionState state, @Nullable Lease seen) {
		Lease doubt = state.doubt();
		boolean resolved = doubt != null
				&& (seen == null || seen.revision() > doubt.revision() || seen.term() > doubt.term());
		return resolved ? state.doubt(null) : state;
	}

	/**
	 * Give back what this process holds and is not going to lead: nobody else could take
	 * it while this process lives.
	 * @param at when
	 */
	ElectionState giveBack(ElectionState state, Lease lease, Moment at) {
		return (state.term() == null && lease.isHeldBy(this.candidateId)) ? state.term(TermState.unwanted(lease, at))
				: state;
	}

	/**
	 * Whoever repairs a lease all the time, or has one that can't be taken though it
	 * looks as if it could, must not keep this candidate busy, nor leave those takings in
	 * doubt that are made along with it.
	 */
	private ElectionState cautious(ElectionState next, @Nullable LeaseObservation before, Moment now) {
		LeaseObservation seen = next.observation();
		boolean repaired = before != null && before.kind() == Kind.DAMAGED;
		return (seen == null || !(repaired || seen.refused())) ? next
				: next.observed(seen.refused(false)).notBefore(now.plus(this.timing.pollInterval()).nanos());
	}

	/** It is no lease, or none that anybody can follow: keep away from it. */
	ElectionState readDamage(ElectionState state, boolean pushed, Moment now) {
		ElectionState seen = state.observed(LeaseObservation.absent(Kind.DAMAGED, state.observation(), now))
			.readAt(nextRead(null, pushed, now));
		TermState term = state.term();
		if (term == null) {
			return seen;
		}
		return term.isOpen() ? lose(seen, term, LossReason.TAKEN_OVER, now)
				: term.isToBeReleased() ? doubtHeld(seen, term, now) : seen;
	}

	/**
	 * Return when to read again. Where changes are pushed there is little to look for: it
	 * is a matter of how soon one is found that was not.
	 */
	private long nextRead(@Nullable Lease lease, boolean pushed, Moment now) {
		if (!pushed) {
			return now.plus(this.timing.pollInterval()).nanos();
		}
		boolean held = lease != null && !lease.isVacant();
		Duration some = this.timing.ttl().multipliedBy(PUSHED_READS);
		Duration rarely = held ? some.plus(Timing.spread(this.candidateId, some))
				: Timing.longer(this.timing.renewInterval(), this.timing.pollInterval());
		return now.plus(rarely).nanos();
	}

	/** If it was refused there is a lease; if the next read shows none, don't insist. */
	ElectionState created(ElectionState state, boolean done, Moment now) {
		ElectionState answered = state.backoff(Backoff.none(now));
		return hinted(done ? answered : answered.notBefore(now.plus(this.timing.pollInterval()).nanos()), now);
	}

	/** Nothing but this makes a leader. */
	protected ElectionState taken(ElectionState state, Lease lease, boolean valid, Moment sentAt, Moment now) {
		ElectionState seen = changed(state, lease, now).doubt(null).backoff(Backoff.none(now));
		if (!state.stands()) {
			// Withdrawn meanwhile: nobody was told, so there is nothing to drain.
			return giveBack(seen, lease, now);
		}
		if (!valid || validUntil(sentAt).hasComeAt(now)) {
			// Answered too late to be of use. The next read shows the own lease, to be
			// taken again under a new term.
			return seen.readAt(now.nanos());
		}
		return seen.term(TermState.begin(lease, validUntil(sentAt), nextCheck(sentAt), now));
	}

	/**
	 * This process has made this of the lease, or has tried in vain. Whatever was seen of
	 * a later one meanwhile is how it is now. Where the same was pushed before only one
	 * instance is kept: there may be thousands.
	 */
	private static ElectionState changed(ElectionState state, Lease lease, Moment now) {
		LeaseObservation before = state.observation();
		return (before == null || !before.isNewerThan(lease))
				? state.observed(LeaseObservation.present(lease, before, now)) : state;
	}

	ElectionState takeRefused(ElectionState state, Lease expected, Moment now) {
		ElectionState next = hinted(state.doubt(expected).backoff(Backoff.none(now)), now);
		LeaseObservation seen = state.observation();
		return (seen != null && seen.lease() != null && seen.lease().isSameRevisionAs(expected))
				? next.observed(seen.refused(true)) : next;
	}

	/** What was kept for another meanwhile is not given back. */
	ElectionState released(ElectionState state, Lease expected, @Nullable String successor, Moment now) {
		ElectionState answered = state.backoff(Backoff.none(now));
		TermState term = state.term();
		if (term == null) {
			return undone(answered, now);
		}
		if (!term.lease().isSameRevisionAs(expected) || term.isOpen()) {
			return answered;
		}
		ElectionState next = changed(answered, expected.released(successor), now);
		return (term.phase() == Phase.RELEASING) ? finish(next, term, now) : next.term(term.linger());
	}

	/** If it is to be given back all the same, it is read first. */
	ElectionState releaseRefused(ElectionState state, Lease expected, Moment now) {
		ElectionState answered = state.backoff(Backoff.none(now));
		TermState term = state.term();
		if (term == null) {
			return undone(answered, now);
		}
		return (term.isToBeReleased() && term.lease().isSameRevisionAs(expected))
				? answered.term(term.doubted(now.nanos())) : answered;
	}

	/**
	 * A taking in doubt, that nobody wants any more, was to come to nothing. If the next
	 * read shows that it did not, don't insist.
	 */
	private ElectionState undone(ElectionState state, Moment now) {
		long later = now.plus(this.timing.pollInterval()).nanos();
		return hinted(state.stands() ? state : state.backoff(state.backoff().until(later)), now);
	}

	/** Try again soon. A follower reads before it tries anything else. */
	ElectionState unanswered(ElectionState state, Command command, Moment now) {
		Duration poll = this.timing.pollInterval();
		long later = now.plus(poll).nanos();
		Backoff backoff = state.backoff();
		// Whoever leaves has no time for long pauses: what is not given back is left.
		boolean patient = command.isChange() && state.wish() != Wish.LEAVE;
		ElectionState failed = state.backoff(patient ? backoff.failed(poll, now) : Backoff.none(now));
		TermState term = state.term();
		if (term == null) {
			ElectionState next = failed.readAt(later).backoff(failed.backoff().until(later));
			return (command instanceof Command.Take take) ? next.doubt(take.expected()) : next;
		}
		long soon = now.plus(this.timing.retryDelay()).nanos();
		ElectionState next = looksOn(state) ? failed.readAt(later) : failed;
		// What is kept for work that is still ending is not given back before its time.
		return next.term(term.callAt(term.isLost() ? Moment.later(soon, term.nextCall()) : soon));
	}

	ElectionState unhindered(ElectionState state, Moment now) {
		return state.backoff(state.backoff().ease(this.timing.pollInterval(), now));
	}

	// What was pushed

	/**
	 * What is already known to be older is ignored, and the own term is ended only by a
	 * later one.
	 */
	ElectionState pushed(ElectionState state, Lease lease, boolean pushed, Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen()) {
			if (isOwn(lease, term.lease())) {
				// Somebody has asked for something: that is another revision.
				return (lease.revision() > term.lease().revision()) ? state.term(term.seenAs(lease)) : state;
			}
			if (lease.term() <= term.number()) {
				// Of an older one that is all the same: it is how this term began.
				return (lease.term() == term.number() && !lease.isHeldBy(this.candidateId)) ? doubted(state, now)
						: state;
			}
			return lose(state.observed(LeaseObservation.present(lease, state.observation(), now)), term,
					LossReason.TAKEN_OVER, now);
		}
		LeaseObservation before = state.observation();
		if (before != null && !before.isSupersededBy(lease)) {
			return state;
		}
		ElectionState next = state.observed(LeaseObservation.present(lease, before, now))
			.readAt(nextRead(lease, pushed, now));
		return cautious(resolveDoubt(readHeld(next, lease, now), lease), before, now);
	}

	ElectionState hinted(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isOpen()) {
			return state.readAt(now.nanos());
		}
		long soon = now.plus(this.timing.pollInterval()).nanos();
		return state.term(term.callAt(Moment.earlier(term.nextCall(), soon)));
	}

	ElectionState doubted(ElectionState state, Moment now) {
		TermState term = state.term();
		return (term != null && term.isOpen()) ? state.term(term.callAt(now.nanos())) : state.readAt(now.nanos());
	}

	// What this process does

	ElectionState elapsed(ElectionState state, Moment now) {
		TermState term = state.term();
		if (term == null || !term.isOpen()) {
			return state;
		}
		if (term.validUntil().hasComeAt(now)) {
			return lose(state, term, LossReason.EXPIRED, now);
		}
		Handover handover = (term.phase() == Phase.DRAINING) ? term.handover() : null;
		return (handover != null && now.isDue(drainUntil(handover)))
				? stop(state, term, new Loss(handover.reason(), true, now), this.timing.ttl()) : state;
	}

	/** Whoever joins reads at once, and whoever leaves has no time for long pauses. */
	ElectionState wished(ElectionState state, Wish wish, Moment now) {
		ElectionState next = (wish != Wish.LEAVE) ? state.wish(wish) : unhindered(state.wish(wish), now);
		return (next.stands() && !state.stands()) ? next.readAt(now.nanos()) : next;
	}

	protected ElectionState handOver(ElectionState state, Handover how) {
		TermState term = state.term();
		return (term != null && term.phase() == Phase.LEADING) ? state.term(term.drain(how)) : state;
	}

	ElectionState ended(ElectionState state, long number, LossReason reason, Moment now) {
		TermState term = state.term();
		return (term != null && term.number() == number && term.isOpen()) ? lose(state, term, reason, now) : state;
	}

	ElectionState settled(ElectionState state, long number, Moment now) {
		TermState term = state.term();
		if (term == null || term.number() != number || !(term.phase() == Phase.DRAINING || term.isLost())) {
			return state;
		}
		return (term.phase() == Phase.LINGERING) ? finish(state, term, now) : state.term(term.release(now.nanos()));
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
		return replaced ? state.term(term.linger(loss)).readAt(now.nanos())
				: stop(state, term, loss, this.timing.margin());
	}

	private static ElectionState stop(ElectionState state, TermState term, Loss loss, Duration grace) {
		boolean kept = loss.reason() != LossReason.TAKEN_OVER;
		return state.term(term.stop(loss, kept, loss.at().plus(grace).nanos())).readAt(loss.at().nanos());
	}

	private ElectionState finish(ElectionState state, TermState term, Moment now) {
		ElectionState finished = state.term(null).readAt(now.nanos());
		return term.requiresCooldown() ? finished.notBefore(now.plus(this.timing.cooldown()).nanos()) : finished;
	}

}
