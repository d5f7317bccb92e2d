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
 * functions of its state, the events it learns of, and the time. {@link #on} makes the
 * next state; {@link #next} returns the next command for the store, and when it is due.
 * {@link SessionProtocol} decides whether a holder is alive.
 * <p>
 * In short:
 * <ol>
 * <li>A candidate may take a lease at once that is vacant or its own, and that of another
 * when the holder's session has ended. If that session has been silent for too long, the
 * candidate ends it first; if it is missing, the candidate inserts a tombstone, and
 * watches that (S4 to S6, {@link #next}).</li>
 * <li>Each taking is a compare-and-set on the lease as seen, with a term above every term
 * seen (R2). Only the answer to that very call makes a leader, and only while the session
 * that the lease names is valid (S2, {@link #taken}).</li>
 * <li>A term ends with that session ({@link #ended}), or when the lease no longer shows
 * this term or was not read in time: a leader reads its lease as often as it renews, and
 * never leads for longer than others treat a missing lease as held (S8, {@link #read},
 * {@link #validUntil}).</li>
 * <li>A failed call leaves the outcome unknown; it does not mean that the lease is lost.
 * A taking whose outcome is unknown is <em>in doubt</em>: that is resolved by reading,
 * or, if the lease is no longer wanted, by a change that makes the taking fail (R5,
 * {@link #unanswered}).</li>
 * <li>A leader that resigns drains first: no new work starts, running work ends,
 * candidates are told, and only then is the lease released (R9, {@link #handOver},
 * {@link #settled}).</li>
 * <li>A process releases a lease that it holds but does not lead, as the lease does not
 * expire while its holder lives: a margin after the term was lost, a time to live after a
 * drain that timed out, at once if its work has ended or no term began (S9,
 * {@link #giveBack}).</li>
 * <li>A leader that resigns may name a successor: for two poll intervals the other
 * candidates do not take the lease (R9).</li>
 * <li>A lease that vanished, or was replaced by one of an earlier term, is treated as
 * held for its time to live from when that was first seen (R11).</li>
 * </ol>
 */
public class ElectionProtocol {

	/** How many poll intervals a lease is kept for a successor: it may have no push. */
	private static final int SUCCESSOR_POLLS = 2;

	/** With push, read a held lease after this many TTLs, up to twice as many (R7). */
	private static final int PUSHED_READS = 5;

	private final String candidateId;

	private final Timing timing;

	private final SessionProtocol sessions;

	/** Create the protocol of a candidate. */
	public ElectionProtocol(String candidateId, Timing timing, SessionProtocol sessions) {
		this.candidateId = candidateId;
		this.timing = timing;
		this.sessions = sessions;
	}

	/**
	 * Join an election.
	 * @param highestTerm the highest term remembered, 0 for none
	 * @param notBefore the earliest time to take the lease; monotonic time
	 */
	public ElectionState begin(String election, long highestTerm, long notBefore, Moment now) {
		return new ElectionState(election, Wish.LEAVE, null, null, null, highestTerm, now.nanos(),
				Moment.later(notBefore, now.nanos()), Backoff.none(now));
	}

	/** Return the state that follows from an event. */
	public final ElectionState on(ElectionState state, ElectionEvent event, Moment now) {
		return obey(event.on(this, state, now), now);
	}

	/**
	 * Act on what the lease and this process ask of the holder. No request is obeyed
	 * late: a leader has read its lease within its time to live. None is obeyed twice: a
	 * term that was handed over leads no more.
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
	 * Return the next command for the store, and when it is due unless an event changes
	 * that.
	 * @param holder the last observation of the holder's session, {@code null} for none
	 * @return the command, {@code null} if there is none before the next event
	 */
	public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
		TermState term = state.term();
		if (term != null) {
			Due own = next(state, term);
			Due read = followsNextLeader(state) ? read(state) : null;
			return (own != null && now.isDue(own.at())) ? own : Due.first(own, read);
		}
		Due read = (state.follows() || state.doubt() != null) ? read(state) : null;
		if (read != null && now.isDue(read.at())) {
			// Read before any change.
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

	/** Return whether to find out who leads while the work of a lost term ends. */
	private static boolean followsNextLeader(ElectionState state) {
		TermState term = state.term();
		return state.stands() && term != null && term.isLost();
	}

	/**
	 * Make an unwanted taking in doubt fail, by releasing the revision it expects (R5).
	 */
	private static @Nullable Due undoing(ElectionState state) {
		Lease doubt = state.doubt();
		Lease seen = state.presentLease();
		return (doubt != null && seen != null && seen.isSameRevisionAs(doubt))
				? new Due(new Command.Release(doubt, doubt.successor()), state.backoff().until()) : null;
	}

	/** Return the next step towards taking the lease, and when it is due. */
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
			long free = Moment.later(isFree(lease) ? seen.since() : keptUntil(seen), earliest);
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

	/** Return whether it is this candidate's own, or vacant and not kept for another. */
	private boolean isFree(Lease lease) {
		boolean kept = lease.successor() != null && !lease.successor().equals(this.candidateId);
		return lease.isHeldBy(this.candidateId) || (lease.isVacant() && !kept);
	}

	/** Return until when a vacant lease is kept for its successor. */
	private long keptUntil(LeaseObservation seen) {
		return seen.since() + this.timing.pollInterval().multipliedBy(SUCCESSOR_POLLS).toNanos();
	}

	/**
	 * Return whether this lease replaced a later one, by a delayed insert after a
	 * removal, or by a restore. The leader under the later one may not know yet (R11).
	 */
	protected boolean isFromBefore(ElectionState state, Lease lease) {
		return lease.term() < state.highestTerm();
	}

	/** Return when the leader under the later lease has noticed that it is gone. */
	private long noticedAt(Lease lease, LeaseObservation seen) {
		return seen.since() + Timing.longer(lease.ttl(), this.timing.ttl()).toNanos();
	}

	/** Return when a missing lease no longer counts as held (R11). */
	protected long outlivedAt(Lease lease, LeaseObservation seen) {
		return seen.since() + lease.ttl().toNanos();
	}

	/**
	 * Return what is wrong with an edited lease that leaves no greater term or revision
	 * to the next leader, {@code null} if nothing is. Its term must not be remembered as
	 * the highest, or a repair would not help.
	 */
	public @Nullable String flaw(ElectionState state, Lease lease) {
		TermState term = state.term();
		if (term != null && term.lease().isSameRevisionAs(lease)) {
			// Concerns the next term only.
			return null;
		}
		long most = Lease.MAX_TERM - 1;
		if (lease.term() > most) {
			return "'term' must be at most %d, to leave room for the next, but is %d".formatted(most, lease.term());
		}
		if (lease.revision() > most - 1) {
			return "'revision' must be at most %d, to leave room for changes, but is %d".formatted(most - 1,
					lease.revision());
		}
		return (state.highestTerm() > most)
				? "'term' can't become greater than %d, which this instance has seen. ".formatted(state.highestTerm())
						+ "Repair the lease, and restart all instances"
				: null;
	}

	/** Return whether a read may join others already: half of its interval is over. */
	public boolean mayGoAlong(Due due, ElectionState state, Moment now) {
		Duration interval = state.isVouchedFor() ? this.timing.renewInterval() : this.timing.pollInterval();
		return due.command() instanceof Command.ReadLease && (state.isVouchedFor() || state.follows())
				&& now.isDue(due.at() - interval.toNanos() / 2);
	}

	/**
	 * Return whether waiting is of no use for now: the holder is alive, or the lease is
	 * unreadable or counts as held (R11). A holder without a session is worth waiting
	 * for: only a candidate that stays for the time to live can find that it is gone.
	 * @param holder the last observation of the holder's session, {@code null} for none
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
	 * Return the monotonic time of the next deadline, but at most a time to live from
	 * now, see {@link ElectionEvent#elapsed}.
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

	/** Ignore a read that is older than what was pushed after it was sent. */
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
			// There was a lease, but its holder and time to live are unknown (R11).
			next = next.notBefore(now.plus(this.timing.ttl()).nanos());
		}
		next = cautious(resolveDoubt(readHeld(next, lease, now), lease), before, now);
		// A released lease that still shows this holder is released again, later.
		boolean again = before != null && lease != null && before.isNewerThan(lease) && !mayTake(next, now);
		return (again && lease != null) ? giveBack(next, lease, now.plus(this.timing.pollInterval())) : next;
	}

	/**
	 * The lease to be released may have changed: release it as it is now (S9). While work
	 * may go on, only another holder, a later term or a later vacant revision proves it
	 * lost: a read that shows nothing, or an older state, does not (R5).
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
			// After a refused release a read that shows nothing is enough (R5). So is an
			// earlier term, which is not always a read behind: the lease may have been
			// removed and made anew.
			boolean earlier = lease != null && lease.term() < own.term();
			boolean gone = !term.kept() && (!behind || earlier);
			return gone ? finish(state, term, now).readAt(state.nextRead()) : doubtHeld(state, term, now);
		}
		return (lease != null && !behind) ? state.term(term.linger()) : doubtHeld(state, term, now);
	}

	/** The read proves nothing about the lease to be released: read again later. */
	private ElectionState doubtHeld(ElectionState state, TermState term, Moment now) {
		long later = now.plus(this.timing.pollInterval()).nanos();
		return (term.kept() || later - term.nextCall() < 0) ? state : state.term(term.doubted(later));
	}

	/** Return whether the lease is held under this very term. */
	private boolean isOwn(Lease lease, Lease own) {
		return lease.isHeldBy(this.candidateId) && lease.session() == own.session() && lease.term() == own.term();
	}

	/** An earlier term may come from a server that is behind: read again, once. */
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
		// A later revision, with a request or a pause, may have been pushed meanwhile.
		Lease newest = (lease.revision() < own.revision()) ? own : lease;
		return term.validUntil().hasComeAt(now) ? lose(state, term, LossReason.EXPIRED, now)
				: state.term(term.seenAs(newest, validUntil(sentAt), nextCheck(sentAt)));
	}

	/**
	 * Return the deadline of a term whose lease was last seen by a call sent at this time
	 * (S8). If the lease is removed right after that, others treat it as held for its
	 * time to live from when they find it missing.
	 */
	protected Moment validUntil(Moment sentAt) {
		return sentAt.plus(this.timing.validity());
	}

	/** The leader reads as often as it renews, 2 to 10 times per time to live (S8). */
	private long nextCheck(Moment sentAt) {
		Duration ttl = this.timing.ttl();
		Duration often = Timing.longer(this.timing.renewInterval(), ttl.dividedBy(10));
		return sentAt.plus(Timing.shorter(often, ttl.dividedBy(2))).nanos();
	}

	/** A taking in doubt can no longer succeed once the lease has moved on (R5). */
	private static ElectionState resolveDoubt(ElectionState state, @Nullable Lease seen) {
		Lease doubt = state.doubt();
		boolean resolved = doubt != null
				&& (seen == null || seen.revision() > doubt.revision() || seen.term() > doubt.term());
		return resolved ? state.doubt(null) : state;
	}

	/**
	 * Release, at this time, a lease that is held but not led: nobody else can take it
	 * while this process lives (S9).
	 */
	ElectionState giveBack(ElectionState state, Lease lease, Moment at) {
		return (state.term() == null && lease.isHeldBy(this.candidateId)) ? state.term(TermState.unwanted(lease, at))
				: state;
	}

	/**
	 * Wait for a poll interval after a repair, and after a refused taking of a lease that
	 * is still as expected. Otherwise endless repairs or refusals would keep this
	 * candidate busy, and leave in doubt other takings of the same command.
	 */
	private ElectionState cautious(ElectionState next, @Nullable LeaseObservation before, Moment now) {
		LeaseObservation seen = next.observation();
		boolean repaired = before != null && before.kind() == Kind.DAMAGED;
		return (seen == null || !(repaired || seen.refused())) ? next
				: next.observed(seen.refused(false)).notBefore(now.plus(this.timing.pollInterval()).nanos());
	}

	/** No lease, or one after which nobody could lead, was read: leave it alone. */
	ElectionState readDamage(ElectionState state, Moment sentAt, boolean pushed, Moment now) {
		LeaseObservation before = state.observation();
		TermState term = state.term();
		boolean open = term != null && term.isOpen();
		if (!open && before != null && before.kind() == Kind.PRESENT && sentAt.nanos() - before.since() < 0) {
			// It was repaired, and that was pushed meanwhile.
			return state.readAt(now.plus(this.timing.pollInterval()).nanos());
		}
		ElectionState seen = state.observed(LeaseObservation.absent(Kind.DAMAGED, before, now))
			.readAt(nextRead(null, pushed, now));
		if (term == null) {
			return seen;
		}
		return term.isOpen() ? lose(seen, term, LossReason.TAKEN_OVER, now)
				: term.isToBeReleased() ? doubtHeld(seen, term, now) : seen;
	}

	/** With push, this limits how late a change is found that was not pushed (R7). */
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

	/** If refused, there is a lease: wait for a poll interval, in case reads miss it. */
	ElectionState created(ElectionState state, boolean done, Moment now) {
		ElectionState answered = state.backoff(Backoff.none(now));
		return hinted(done ? answered : answered.notBefore(now.plus(this.timing.pollInterval()).nanos()), now);
	}

	/** Only this answer makes a leader (R5). */
	protected ElectionState taken(ElectionState state, Lease lease, boolean valid, Moment sentAt, Moment now) {
		ElectionState seen = changed(state, lease, now).doubt(null).backoff(Backoff.none(now));
		if (!state.stands()) {
			// Withdrawn meanwhile. Nobody was told, so there is nothing to drain.
			return giveBack(seen, lease, now);
		}
		if (!valid || validUntil(sentAt).hasComeAt(now)) {
			// Too late. The next read shows that we hold it: it is taken again (R5).
			return seen.readAt(now.nanos());
		}
		return seen.term(TermState.begin(lease, validUntil(sentAt), nextCheck(sentAt), now));
	}

	/**
	 * Note the lease as this process has changed it, unless a later state was seen. If
	 * the same was pushed before, keep one instance only: there may be thousands.
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

	/** Ignored if the term has another revision of the lease by now. */
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

	/** Read the lease before releasing it again (S9). */
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
	 * A release that was to make a taking in doubt fail was answered. If the next read
	 * shows the taking still in doubt, wait for a poll interval.
	 */
	private ElectionState undone(ElectionState state, Moment now) {
		long later = now.plus(this.timing.pollInterval()).nanos();
		return hinted(state.stands() ? state : state.backoff(state.backoff().until(later)), now);
	}

	/** A holder tries again soon; a follower after a poll interval, and reads first. */
	ElectionState unanswered(ElectionState state, Command command, Moment now) {
		Duration poll = this.timing.pollInterval();
		long later = now.plus(poll).nanos();
		Backoff backoff = state.backoff();
		// A process that leaves can't back off for long: what it does not release now, it
		// leaves behind.
		boolean patient = command.isChange() && state.wish() != Wish.LEAVE;
		ElectionState failed = state.backoff(patient ? backoff.failed(poll, now) : Backoff.none(now));
		TermState term = state.term();
		if (term == null) {
			ElectionState next = failed.readAt(later).backoff(failed.backoff().until(later));
			return (command instanceof Command.Take take) ? next.doubt(take.expected()) : next;
		}
		long soon = now.plus(this.timing.retryDelay()).nanos();
		ElectionState next = followsNextLeader(state) ? failed.readAt(later) : failed;
		// A lost term keeps its lease until the time given to its work is over (S9).
		return next.term(term.callAt(term.isLost() ? Moment.later(soon, term.nextCall()) : soon));
	}

	ElectionState unhindered(ElectionState state, Moment now) {
		return state.backoff(state.backoff().ease(this.timing.pollInterval(), now));
	}

	// What was pushed

	/** Ignore outdated changes. Only a later term ends that of this process. */
	ElectionState pushed(ElectionState state, Lease lease, boolean pushed, Moment now) {
		TermState term = state.term();
		if (term != null && term.isOpen()) {
			if (isOwn(lease, term.lease())) {
				// A later revision may carry a request or a pause.
				return (lease.revision() > term.lease().revision()) ? state.term(term.seenAs(lease)) : state;
			}
			if (lease.term() <= term.number()) {
				// Earlier terms are outdated. If this one has lost its holder, read.
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

	/** A process that joins reads at once; one that leaves can't back off for long. */
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
	 * Keep the term until its work has ended, so that no other begins beside it. Release
	 * the lease earlier, so that others can lead (S9), unless it has moved on.
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
