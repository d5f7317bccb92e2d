package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The stored claim to lead one election, as it was seen at some moment.
 *
 * @param election the election name
 * @param holder the id of the candidate that holds the lease, or {@code null} when it is
 * vacant
 * @param term the number of the last term that was granted, 0 when there was none yet
 * @param revision a number that every change of the lease raises by one, renewals too
 * @param ttl how long the holder's claim outlives its last renewal; positive
 * @param electedAt when the term began by the store's clock, or {@code null}
 * @param renewedAt when the lease changed last by the store's clock, or {@code null}.
 * Both dates are for people to read, and tell followers when it is worth looking again;
 * without them they look once per poll interval.
 * @param successor the id of the candidate for which a vacant lease is kept for a short
 * while, or {@code null} when it is kept for nobody
 */
public record Lease(String election, @Nullable String holder, long term, long revision, Duration ttl,
		@Nullable Instant electedAt, @Nullable Instant renewedAt, @Nullable String successor) {

	/**
	 * The greatest term, which every language and every format keeps as it is. At a
	 * thousand terms per second it would be reached in 285,000 years: a lease beyond it
	 * was edited, and nobody must go on from there.
	 */
	public static final long MAX_TERM = (1L << 53) - 1;

	/**
	 * Create a lease that is kept for nobody.
	 * @param election the election name
	 * @param holder the id of the holder, or {@code null}
	 * @param term the number of the last term
	 * @param revision the revision
	 * @param ttl the time to live
	 * @param electedAt when the term began, or {@code null}
	 * @param renewedAt when the lease changed last, or {@code null}
	 */
	public Lease(String election, @Nullable String holder, long term, long revision, Duration ttl,
			@Nullable Instant electedAt, @Nullable Instant renewedAt) {
		this(election, holder, term, revision, ttl, electedAt, renewedAt, null);
	}

	/**
	 * Return this lease with other dates.
	 * @param newElectedAt when the term began, or {@code null}
	 * @param newRenewedAt when the lease changed last, or {@code null}
	 * @return the lease with these dates
	 */
	public Lease withDates(@Nullable Instant newElectedAt, @Nullable Instant newRenewedAt) {
		return new Lease(this.election, this.holder, this.term, this.revision, this.ttl, newElectedAt, newRenewedAt,
				this.successor);
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
	 * Return whether the other is the same lease in the same state: no change has come
	 * between the two.
	 * @param other the lease to compare with
	 * @return whether both show the same revision
	 */
	public boolean isSameRevisionAs(Lease other) {
		return this.revision == other.revision && this.term == other.term && this.election.equals(other.election)
				&& Objects.equals(this.holder, other.holder);
	}

	/**
	 * Return what a message may quote: whoever is named here may have been named by
	 * anybody.
	 */
	@Override
	public String toString() {
		return "Lease[election=%s, holder=%s, term=%d, revision=%d, ttl=%s, electedAt=%s, renewedAt=%s, successor=%s]"
			.formatted(StoredText.printable(this.election), StoredText.printableOrNull(this.holder), this.term,
					this.revision, this.ttl, this.electedAt, this.renewedAt,
					StoredText.printableOrNull(this.successor));
	}

}
