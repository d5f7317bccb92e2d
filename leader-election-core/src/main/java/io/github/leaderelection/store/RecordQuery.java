package io.github.leaderelection.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Which records to find.
 *
 * @param value what the {@linkplain RecordKind#queried() field} has that records are
 * found by; {@code null} finds those where it is null or missing
 * @param unchangedFor for how long none of them has been changed, by the clock of the
 * store; where it is not known when that was, it is long ago
 * @param most how many to find at most, positive
 */
public record RecordQuery(@Nullable String value, Duration unchangedFor, int most) {

}
