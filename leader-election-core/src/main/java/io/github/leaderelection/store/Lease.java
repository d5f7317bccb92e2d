package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The stored claim to lead one election, as seen at some moment. The {@link Session} that
 * it names shows whether its holder is alive.
 *
 * @param election the election name
 * @param holder the id of the candidate that holds the lease, or {@code null} when it is
 * vacant
 * @param session the number of the holder's session under which the lease was taken;
 * meaningless when it is vacant
 * @param term the number of the last term that was granted, 0 when there was none yet
 * @param revision a number that every change of the lease raises by one
 * @param ttl the time to live that the holder has asked for, which is that of its
 * session; positive
 * @param electedAt when the term began, by the clock of the process that was elected, or
 * {@code null}; for people to read
 * @param successor the id of the candidate for which a vacant lease is kept for a short
 * while, or {@code null} when it is kept for nobody
 * @param request the request to the holder to hand over, or {@code null}
 * @param paused whether the election is paused, so that nobody may lead
 */
public record Lease(String election, @Nullable String holder, long session, long term, long revision, Duration ttl,
		@Nullable Instant electedAt, @Nullable String successor, @Nullable HandoverRequest request, boolean paused) {

	/**
	 * The greatest term, which every language and every format represents exactly. At a
	 * thousand terms per second it would be reached in 285,000 years: a lease beyond it
	 * was edited, and nobody must go on from there.
	 */
	public static final long MAX_TERM = (1L << 53) - 1;

	/**
	 * Return a lease that nobody holds, and that is kept for nobody.
	 * @param election the election name
	 * @param term the number of the last term
	 * @param revision the revision
	 * @param ttl the time to live
	 * @return the lease
	 */
	public static Lease vacant(String election, long term, long revision, Duration ttl) {
		return new Lease(election, null, 0, term, revision, ttl, null, null, null, false);
	}

	/**
	 * Return this lease as it is when its holder has released it.
	 * @param newSuccessor the candidate to leave it to, or {@code null}
	 * @return the lease, vacant, with the next revision
	 */
	public Lease released(@Nullable String newSuccessor) {
		return new Lease(this.election, null, 0, this.term, this.revision + 1, this.ttl, this.electedAt, newSuccessor,
				null, this.paused);
	}

	/**
	 * Return this lease as it is when it has been taken, except for its date, which is
	 * still that of the previous term.
	 * @param session the session that vouches for the lease from now on
	 * @param newTerm the new term, greater than the last one and up to {@link #MAX_TERM}
	 * @return the lease, with the next revision
	 */
	public Lease taken(Session session, long newTerm) {
		return new Lease(this.election, session.candidate(), session.number(), newTerm, this.revision + 1,
				session.ttl(), this.electedAt, null, null, false);
	}

	/** Return this lease with the term that is granted, and its date. */
	Lease elected(long newTerm, Instant newElectedAt) {
		return new Lease(this.election, this.holder, this.session, newTerm, this.revision, this.ttl, newElectedAt,
				this.successor, this.request, this.paused);
	}

	/**
	 * Return this lease with a request to its holder.
	 * @param newRequest the request
	 * @return the lease, with the next revision
	 */
	public Lease asking(HandoverRequest newRequest) {
		return new Lease(this.election, this.holder, this.session, this.term, this.revision + 1, this.ttl,
				this.electedAt, this.successor, newRequest, this.paused);
	}

	/**
	 * Return whether nobody holds the lease.
	 * @return whether the lease is vacant
	 */
	public boolean isVacant() {
		return this.holder == null;
	}

	/**
	 * Return whether the candidate holds the lease.
	 * @param candidateId the id of the candidate
	 * @return whether it is the holder
	 */
	public boolean isHeldBy(String candidateId) {
		return candidateId.equals(this.holder);
	}

	/**
	 * Return the id of the session that vouches for the lease.
	 * @return the id, {@code null} if the lease is vacant
	 */
	public @Nullable String sessionId() {
		return (this.holder != null) ? Session.id(this.holder, this.session) : null;
	}

	/**
	 * Return the tombstone to insert in place of the session that vouches for the lease,
	 * if that is missing. Once it is stored, the process can't renew that session: no
	 * renewal replaces this revision (S6). The lease must be held.
	 * @return the tombstone, to be watched and ended like any other session
	 */
	public Session tombstone() {
		return new Session(String.valueOf(this.holder), this.session, 0, this.ttl, null, false);
	}

	/**
	 * Return whether the other is the same lease in the same state: no change has come
	 * between the two.
	 * @param other the lease to compare with
	 * @return whether both show the same revision
	 */
	public boolean isSameRevisionAs(Lease other) {
		return this.revision == other.revision && this.term == other.term && this.session == other.session
				&& this.election.equals(other.election) && Objects.equals(this.holder, other.holder);
	}

	/**
	 * Return whether this is a later state of the lease than the other. The term counts
	 * first: a lease that was removed and made anew may have lower revisions.
	 * @param other the lease to compare with
	 * @return whether this shows a later term, or the same term and a later revision
	 */
	public boolean isNewerThan(Lease other) {
		return this.term > other.term || (this.term == other.term && this.revision > other.revision);
	}

	/**
	 * A request to the holder of a lease to hand over the term that it leads now. It is
	 * stored in the lease, and seen by the holder when it reads its lease, or when the
	 * change is pushed. It applies to this term only.
	 *
	 * @param term the number of the term to be handed over
	 * @param successor the id of the candidate to leave the lease to, or {@code null} for
	 * any
	 * @param by the id of the candidate through which the request was made; for people to
	 * read
	 */
	public record HandoverRequest(long term, @Nullable String successor, String by) {

	}

}
