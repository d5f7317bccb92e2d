package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * What somebody wants the leader of an election to do.
 *
 * @param id the id, {@code null} before it is stored
 * @param election the election
 * @param successor the candidate that shall lead, {@code null} if any other may
 * @param askedAt when it was asked for
 */
@Document("handover_requests")
record HandoverRequest(@Id @Nullable String id, String election, @Nullable String successor, Instant askedAt) {

	HandoverRequest {
		Objects.requireNonNull(election);
		Objects.requireNonNull(askedAt);
	}

}
