package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * A lease to be made vacant, if it is still as it was seen.
 *
 * @param expected the lease that is given back. It may be vacant already: a taking that
 * expects the same, and is late, then comes to nothing.
 * @param successor the candidate to leave it to, or {@code null}; noted in the lease
 * until it is taken, and up to the candidates to respect
 */
public record LeaseRelease(Lease expected, @Nullable String successor) {

	@Override
	public String toString() {
		return "LeaseRelease[expected=%s, successor=%s]".formatted(this.expected,
				StoredText.printableOrNull(this.successor));
	}

}
