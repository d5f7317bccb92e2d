package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Objects;

import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * One term, kept as a record of who led when.
 *
 * @param id the id
 * @param election the election
 * @param number the number of the term
 * @param candidate the candidate id of the leader
 * @param startedAt when the leader was elected
 * @param heldUntil when the leader was last known to lead
 * @param end why the term has ended, {@code null} while it lasts and after a crash
 */
@Document("terms")
record Term(@Id String id, String election, long number, String candidate, Instant startedAt, Instant heldUntil,
		@Nullable LossReason end) {

	Term {
		Objects.requireNonNull(election);
		Objects.requireNonNull(candidate);
		Objects.requireNonNull(startedAt);
		Objects.requireNonNull(heldUntil);
	}

}
