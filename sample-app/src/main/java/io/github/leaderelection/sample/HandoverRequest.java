package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * A request to the leader of an election to hand over.
 *
 * @param id the id, {@code null} before it is stored
 * @param election the election
 * @param successor the candidate that is to lead, {@code null} if any other may
 * @param askedAt when the request was made
 */
@Document("handover_requests")
record HandoverRequest(@Id @Nullable String id, String election, @Nullable String successor, Instant askedAt) {

	HandoverRequest {
		Objects.requireNonNull(election);
		Objects.requireNonNull(askedAt);
	}

}
