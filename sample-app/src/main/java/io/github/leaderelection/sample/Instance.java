package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.engine.EngineStatus.Role;
import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * One instance of the sample, as of its last sign of life.
 *
 * @param candidate its candidate id
 * @param number its number, by which the pages name it
 * @param host the name of its host
 * @param pid its process id
 * @param version the version of the application, {@code null} if it is not known
 * @param address the address of its page
 * @param startedAt when it was started
 * @param seenAt when it gave its last sign of life
 * @param stoppedAt when it was stopped, {@code null} while it runs and after a crash
 * @param roles its role in each election
 * @param callsInFlight the number of its gated calls in flight in each election
 */
@Document("instances")
record Instance(@Id String candidate, int number, String host, long pid, @Nullable String version, String address,
		Instant startedAt, Instant seenAt, @Nullable Instant stoppedAt, Map<String, Role> roles,
		Map<String, Integer> callsInFlight) {

	Instance {
		Objects.requireNonNull(candidate);
		Objects.requireNonNull(host);
		Objects.requireNonNull(startedAt);
		Objects.requireNonNull(seenAt);
		// The page turns it into a link.
		if (!address.startsWith("http://") && !address.startsWith("https://")) {
			throw new IllegalArgumentException("No address of a page");
		}
		roles = Map.copyOf(roles);
		callsInFlight = Map.copyOf(callsInFlight);
	}

}
