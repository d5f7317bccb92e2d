package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How an engine fares, as seen from inside this process.
 *
 * @param outage the present outage of the store, {@code null} while it answers
 * @param pushed whether changes of leases are pushed; otherwise they are polled for
 * @param elections the elections that this process stands in
 */
public record EngineStatus(@Nullable StoreOutage outage, boolean pushed, List<ElectionStatus> elections) {

	public EngineStatus {
		elections = List.copyOf(elections);
	}

	/**
	 * An outage of the store.
	 *
	 * @param duration how long it has lasted
	 * @param reason what its first failure was; contains no credentials
	 */
	public record StoreOutage(Duration duration, String reason) {

	}

	/**
	 * How this process fares in one election.
	 *
	 * @param election the election name
	 * @param leader the id of the candidate that leads as far as this process has seen,
	 * {@code null} if none is known
	 * @param leading whether that is this process
	 * @param ttl the time to live that this process asks for
	 * @param ignoresInterrupt whether a candidate of this process has not returned from
	 * {@code onElected} although it was interrupted; until it does, this process does not
	 * stand
	 * @param lingering how long ago a term of this process was lost whose work or
	 * callbacks have not ended yet, zero if there is none; until they have, this process
	 * does not stand
	 */
	public record ElectionStatus(String election, @Nullable String leader, boolean leading, Duration ttl,
			boolean ignoresInterrupt, Duration lingering) {

	}

}
