package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The stored sign of life of one process, as it was seen at some moment. It vouches for
 * all leases of that process that have its time to live and name its epoch.
 *
 * @param id the id, see {@link #id(String, Duration)}
 * @param epoch raised when somebody ends the heartbeat; leases that name a former epoch
 * are orphaned for good
 * @param beat the number of the last beat: a process never uses one twice
 * @param ttl for how long the process may be believed alive after a beat; positive
 * @param beatAt when it last beat by the store's clock, or {@code null} if not known; it
 * tells when it is worth looking again, and decides nothing
 * @param ended whether somebody has ended it, and its process has not beaten since
 */
public record Heartbeat(String id, long epoch, long beat, Duration ttl, @Nullable Instant beatAt, boolean ended) {

	/**
	 * The greatest epoch that a process goes on from: one beyond it was edited.
	 */
	public static final long MAX_EPOCH = (1L << 53) - 1;

	/**
	 * Create a heartbeat that nobody has ended.
	 * @param id the id, see {@link #id(String, Duration)}
	 * @param epoch its epoch
	 * @param beat the number of the last beat
	 * @param ttl for how long the process may be believed alive after a beat; positive
	 * @param beatAt when it last beat by the store's clock, or {@code null}
	 */
	public Heartbeat(String id, long epoch, long beat, Duration ttl, @Nullable Instant beatAt) {
		this(id, epoch, beat, ttl, beatAt, false);
	}

	/**
	 * Return the id of the heartbeat that vouches for the leases of a candidate.
	 * @param candidateId the id of the candidate
	 * @param ttl the time to live of the leases
	 * @return the id
	 */
	public static String id(String candidateId, Duration ttl) {
		return candidateId + "/" + ttl.toMillis();
	}

	/**
	 * Return whether this is a heartbeat of the candidate.
	 * @param candidateId the id of the candidate
	 * @return whether the candidate beats it
	 */
	public boolean isOf(String candidateId) {
		return this.id.equals(id(candidateId, this.ttl));
	}

	/**
	 * Return whether nothing has come between this and the other.
	 * @param other the heartbeat to compare with
	 * @return whether both show the same beat of the same epoch
	 */
	public boolean isSameBeatAs(Heartbeat other) {
		return this.epoch == other.epoch && this.beat == other.beat && this.id.equals(other.id);
	}

	@Override
	public String toString() {
		return "Heartbeat[id=%s, epoch=%d, beat=%d, ttl=%s, beatAt=%s, ended=%s]"
			.formatted(StoredText.printable(this.id), this.epoch, this.beat, this.ttl, this.beatAt, this.ended);
	}

}
