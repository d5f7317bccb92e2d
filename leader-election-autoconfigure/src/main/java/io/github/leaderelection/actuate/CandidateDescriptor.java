package io.github.leaderelection.actuate;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Description of a candidate. Only its id is known until the candidate has announced
 * itself.
 *
 * @param id the candidate id
 * @param application the name of its application
 * @param host the name of its host
 * @param version the version of its application
 * @param address where it can be reached
 * @param seenAt when it last announced itself, by the store's clock
 * @param paused whether it is paused in this election
 */
public record CandidateDescriptor(String id, @Nullable String application, @Nullable String host,
		@Nullable String version, @Nullable String address, @Nullable Instant seenAt, boolean paused) {

}
