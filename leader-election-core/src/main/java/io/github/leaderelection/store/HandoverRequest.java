package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * What somebody asks of the holder of a lease: to hand over the term that it leads now.
 * Stored in the lease, and seen by the holder when it looks at its lease, or is told of
 * its change. It is good for this term alone: once that has ended it means nothing.
 *
 * @param term the number of the term to be handed over
 * @param successor the id of the candidate to leave the lease to, or {@code null} for any
 * @param by the id of the candidate through which it was asked for; for people to read
 */
public record HandoverRequest(long term, @Nullable String successor, String by) {

	/**
	 * Return what a message may quote: it may have been written by anybody.
	 */
	@Override
	public String toString() {
		return "HandoverRequest[term=%d, successor=%s, by=%s]".formatted(this.term,
				StoredText.printableOrNull(this.successor), StoredText.printable(this.by));
	}

}
