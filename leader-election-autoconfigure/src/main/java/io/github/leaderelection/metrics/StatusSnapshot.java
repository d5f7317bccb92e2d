package io.github.leaderelection.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import org.jspecify.annotations.Nullable;

/**
 * The status of an engine, kept for about as long as one scrape takes. The values of one
 * scrape are therefore consistent, and reading them all asks the engine only once.
 */
final class StatusSnapshot {

	private static final long LIFETIME_NANOS = 100_000_000L;

	private final Supplier<EngineStatus> status;

	private volatile @Nullable Taken last;

	StatusSnapshot(Supplier<EngineStatus> status) {
		this.status = status;
	}

	EngineStatus engine() {
		return taken().status;
	}

	/** Return the status of the election, {@code null} if the engine has none. */
	@Nullable ElectionStatus election(String name) {
		return taken().elections.get(name);
	}

	/** Return how many processes stand in the election and are not paused. */
	int candidates(String election) {
		return Math.toIntExact(engine().candidates().stream().filter((each) -> each.isReadyFor(election)).count());
	}

	private Taken taken() {
		Taken present = this.last;
		long now = System.nanoTime();
		if (present == null || now - present.at > LIFETIME_NANOS) {
			EngineStatus current = this.status.get();
			Map<String, ElectionStatus> elections = new HashMap<>();
			current.elections().forEach((each) -> elections.put(each.election(), each));
			present = new Taken(current, elections, now);
			this.last = present;
		}
		return present;
	}

	private record Taken(EngineStatus status, Map<String, ElectionStatus> elections, long at) {

	}

}
