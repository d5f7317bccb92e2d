package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Durations that can be set for all elections, and for one of them.
 */
interface Timing {

	@Nullable Duration renewInterval();

	@Nullable Duration safetyMargin();

	@Nullable Duration operationTimeout();

	@Nullable Duration pollInterval();

	@Nullable Duration drainTimeout();

	@Nullable Duration cooldown();

	@Nullable Duration startingDeadline();

}
