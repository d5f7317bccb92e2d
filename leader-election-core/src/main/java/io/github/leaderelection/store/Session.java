package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The stored sign of life of one process, as seen at some moment. It vouches for all
 * leases that name it. It is created once, and its process keeps it alive by renewing it.
 * An end is final: its number is never used again.
 *
 * @param candidate the id of the candidate whose process it is
 * @param number tells it from all other sessions of the candidate; positive
 * @param revision raised by one with each change: 1 when it is created, 0 for a tombstone
 * @param ttl how long others consider the process alive after each renewal; positive
 * @param renewedAt when it was last renewed, by the store's clock, or {@code null} if not
 * known; a hint of when to read it again, which decides nothing
 * @param ended whether it has ended
 */
public record Session(String candidate, long number, long revision, Duration ttl, @Nullable Instant renewedAt,
		boolean ended) {

	/**
	 * The greatest number and revision, which every language and every format represents
	 * exactly.
	 */
	public static final long MAX_NUMBER = (1L << 53) - 1;

	private static final char SEPARATOR = '#';

	/**
	 * Return a session as its process creates it.
	 * @param candidate the id of the candidate
	 * @param number a number that it has never used before
	 * @param ttl the time to live
	 * @return the session
	 */
	public static Session first(String candidate, long number, Duration ttl) {
		return new Session(candidate, number, 1, ttl, null, false);
	}

	/**
	 * Return the id of a session.
	 * @param candidate the id of the candidate
	 * @param number the number of the session
	 * @return the id
	 */
	public static String id(String candidate, long number) {
		return candidate + SEPARATOR + number;
	}

	/**
	 * Return the session with this id.
	 * @param id the id, see {@link #id(String, long)}
	 * @param revision its revision
	 * @param ttl its time to live
	 * @param renewedAt when it was last renewed, or {@code null}
	 * @param ended whether it has ended
	 * @return the session, {@code null} if this is no such id
	 */
	public static @Nullable Session of(String id, long revision, Duration ttl, @Nullable Instant renewedAt,
			boolean ended) {
		int end = id.lastIndexOf(SEPARATOR);
		String digits = id.substring(end + 1);
		if (end < 0 || !digits.matches("[1-9][0-9]{0,15}") || Long.parseLong(digits) > MAX_NUMBER) {
			return null;
		}
		return new Session(id.substring(0, end), Long.parseLong(digits), revision, ttl, renewedAt, ended);
	}

	/**
	 * Return the id under which it is stored.
	 * @return the id
	 */
	public String id() {
		return id(this.candidate, this.number);
	}

	/**
	 * Return the session as it is when its process has renewed it.
	 * @return the session with the next revision
	 */
	public Session renewed() {
		return new Session(this.candidate, this.number, this.revision + 1, this.ttl, null, false);
	}

	/**
	 * Return the session as it is when it has ended.
	 * @return the session with the next revision
	 */
	public Session expired() {
		return new Session(this.candidate, this.number, this.revision + 1, this.ttl, this.renewedAt, true);
	}

	/**
	 * Return whether this stands in for a session that was missing.
	 * @return whether it is a tombstone that has not ended
	 */
	public boolean isTombstone() {
		return this.revision == 0;
	}

	/**
	 * Return whether the other is the same session in the same state.
	 * @param other the session to compare with
	 * @return whether both show the same revision of the same session
	 */
	public boolean isSameRevisionAs(Session other) {
		return this.revision == other.revision && this.ended == other.ended && this.number == other.number
				&& this.candidate.equals(other.candidate);
	}

}
