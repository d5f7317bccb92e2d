package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import io.github.leaderelection.store.InMemoryRunStore;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;

/**
 * A store that remembers what was ever recorded, and since when.
 */
final class ObservedRunStore implements RunStore {

	private final RunStore store;

	private final Map<String, Instant> started = new HashMap<>();

	private Instant since = Instant.MAX;

	ObservedRunStore(InstantSource clock) {
		this.store = new InMemoryRunStore(clock);
	}

	Map<String, Instant> started() {
		return this.started;
	}

	/** Return the time after which fire times are of interest. */
	Instant since() {
		return this.since;
	}

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		RunReading reading = this.store.open(openings, timeout);
		if (this.since.equals(Instant.MAX)) {
			reading.records().values().forEach((record) -> this.since = record.covered());
		}
		return reading;
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		RunRecord record = this.store.start(start, timeout);
		if (record.isLast(start.run().id())) {
			this.started.put(start.run().id(), start.run().fireTime());
		}
		return record;
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		return this.store.finish(end, timeout);
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		return this.store.cover(cover, timeout);
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		return this.store.find(keys, timeout);
	}

}
