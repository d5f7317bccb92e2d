package io.github.leaderelection.store;

/**
 * What some records come to. As each change raises a revision, it tells whether any of
 * them has been changed, added or removed.
 *
 * @param count how many there are
 * @param revisions the sum of their revisions
 */
public record RecordSum(long count, long revisions) {

	/**
	 * Of no records at all.
	 */
	public static final RecordSum NONE = new RecordSum(0, 0);

	/**
	 * Return the sum with one more record.
	 * @param revision the revision of that record
	 * @return the sum
	 */
	public RecordSum plus(long revision) {
		return new RecordSum(this.count + 1, this.revisions + revision);
	}

}
