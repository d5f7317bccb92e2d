package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.List;

import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows.
 *
 * @param instance the candidate id of the instance that tells it
 * @param now the time there
 * @param connected whether MongoDB answers that instance
 * @param elections what that instance knows of the elections, by name
 * @param price the last price from the market feed, {@code null} on instances without a
 * connection
 * @param history what all instances have recorded, {@code null} when that could not be
 * read
 */
record Overview(String instance, Instant now, boolean connected, List<Election> elections, @Nullable Integer price,
		@Nullable History history) {

	/**
	 * One election.
	 *
	 * @param name the election name
	 * @param leader the candidate id of the leader, {@code null} when none is known
	 * @param term the term, 0 when it is not known
	 * @param remainingMillis for how long the lease lasts unless it is renewed
	 * @param ttlMillis for how long it lasts when it has just been renewed
	 * @param leadsHere whether this instance leads
	 */
	record Election(String name, @Nullable String leader, long term, long remainingMillis, long ttlMillis,
			boolean leadsHere) {

		static Election of(ElectionStatus status, boolean leadsHere) {
			return new Election(status.election(), status.leader(), status.term(), status.remaining().toMillis(),
					status.ttl().toMillis(), leadsHere);
		}

	}

}
