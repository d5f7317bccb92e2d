package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * The record of one job, and all starts that were ever recorded in it.
 */
final class ObservedRecords {

	private final Map<String, Instant> started = new HashMap<>();

	private final RecordStore stored;

	private final JobKey key;

	private final InstantSource clock;

	private Instant since = Instant.MAX;

	/** The latest term under which a process believes that it has opened the record. */
	private long opened;

	/** A run that was recorded although a later term had opened the record. */
	private JobRun late;

	ObservedRecords(JobKey key, InstantSource clock) {
		this.stored = new InMemoryRecordStores(clock).store(RecordedJobs.RUNS);
		this.key = key;
		this.clock = clock;
	}

	/** Return the underlying store, only for reading. */
	RecordStore stored() {
		return this.stored;
	}

	Map<String, Instant> started() {
		return this.started;
	}

	/** Return the time after which fire times count. */
	Instant since() {
		return this.since;
	}

	void opened(long term) {
		this.opened = Math.max(this.opened, term);
	}

	/** Return a run that was recorded after a later term had opened the record. */
	JobRun late() {
		return this.late;
	}

	/** Return the record as it is stored, {@code null} if there is none. */
	RunRecord record() {
		StoredRecord record = this.stored.read(List.of(this.key.id()), Duration.ZERO).records().get(this.key.id());
		return (record != null) ? decoded(record) : null;
	}

	RunRecord decoded(StoredRecord record) {
		return StoredRuns.decoded(this.key, record, this.clock.instant());
	}

	Set<String> insert(StoredRecord record) {
		Set<String> inserted = this.stored.insert(List.of(record), Duration.ZERO);
		if (!inserted.isEmpty() && this.since.equals(Instant.MAX)) {
			this.since = record().covered();
		}
		return inserted;
	}

	Set<String> replace(StoredRecord changed) {
		Set<String> replaced = this.stored.replace(List.of(changed), Duration.ZERO);
		JobRun last = record().last();
		if (!replaced.isEmpty() && last != null && this.started.putIfAbsent(last.id(), last.fireTime()) == null
				&& last.term() < this.opened) {
			this.late = last;
		}
		return replaced;
	}

}
