package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * A lease to be given back.
 *
 * @param claim what is claimed
 * @param successor the candidate to leave it to, or {@code null}; noted in the lease
 * until it is taken, and up to the candidates to respect
 */
public record LeaseRelease(LeaseClaim claim, @Nullable String successor) {

	@Override
	public String toString() {
		return "LeaseRelease[claim=%s, successor=%s]".formatted(this.claim, StoredText.printableOrNull(this.successor));
	}

}
