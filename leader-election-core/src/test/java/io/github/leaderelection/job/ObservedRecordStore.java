package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * A store of one job that remembers what was ever recorded, and since when.
 */
final class ObservedRecordStore implements RecordStore {

	private final RecordStore store;

	private final JobKey key;

	private final InstantSource clock;

	private final Map<String, Instant> started = new HashMap<>();

	private Instant since = Instant.MAX;

	/** The last term for which somebody takes the record for open. */
	private long opened;

	/** A run that was recorded when the record was open under a later term. */
	private JobRun late;

	ObservedRecordStore(JobKey key, InstantSource clock) {
		this.store = new InMemoryRecordStores(clock).store(RecordedJobs.RUNS);
		this.key = key;
		this.clock = clock;
	}

	Map<String, Instant> started() {
		return this.started;
	}

	/** Return the time after which fire times are of interest. */
	Instant since() {
		return this.since;
	}

	void opened(long term) {
		this.opened = Math.max(this.opened, term);
	}

	/** Return a run of an earlier term than the one that had opened the record. */
	JobRun late() {
		return this.late;
	}

	/** Return the record as it is stored, {@code null} if there is none. */
	RunRecord record() {
		StoredRecord stored = this.store.read(List.of(this.key.id()), Duration.ZERO).records().get(this.key.id());
		return (stored != null) ? decoded(stored) : null;
	}

	RunRecord decoded(StoredRecord stored) {
		return StoredRuns.decoded(this.key, stored, this.clock.instant());
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		return this.store.read(ids, timeout);
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		Set<String> inserted = this.store.insert(records, timeout);
		if (!inserted.isEmpty() && this.since.equals(Instant.MAX)) {
			this.since = record().covered();
		}
		return inserted;
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		Set<String> replaced = this.store.replace(changed, timeout);
		JobRun last = record().last();
		if (!replaced.isEmpty() && last != null && this.started.putIfAbsent(last.id(), last.fireTime()) == null
				&& last.term() < this.opened) {
			this.late = last;
		}
		return replaced;
	}

	/** Put a record in place of what is stored, whatever that is. */
	void force(StoredRecord record) {
		this.store.remove(this.store.read(List.of(record.id()), Duration.ZERO).records().values(), Duration.ZERO);
		this.store.insert(List.of(record), Duration.ZERO);
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		return this.store.remove(seen, timeout);
	}

	@Override
	public Instant now(Duration timeout) {
		return this.store.now(timeout);
	}

}
