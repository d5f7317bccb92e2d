package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the records of jobs for tests, behind the back of the processes that
 * run these jobs.
 */
public final class StoredRuns {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final RecordStore store;

	public StoredRuns(RecordStore store) {
		this.store = store;
	}

	/** Return the record, {@code null} if there is none, or it is damaged. */
	public @Nullable RunRecord find(JobKey key) {
		StoredRecord stored = this.store.read(List.of(key.id()), TIMEOUT).records().get(key.id());
		try {
			return (stored != null) ? RunCodec.toRecord(key, stored, Instant.now()) : null;
		}
		catch (DamagedRecordException ex) {
			return null;
		}
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	public @Nullable String damage(JobKey key) {
		RecordReading reading = this.store.read(List.of(key.id()), TIMEOUT);
		StoredRecord stored = reading.records().get(key.id());
		try {
			RunRecord unused = (stored != null) ? RunCodec.toRecord(key, stored, Instant.now()) : null;
			return reading.damaged().get(key.id());
		}
		catch (DamagedRecordException ex) {
			return ex.getMessage();
		}
	}

	/** Open records, and return those that were opened. */
	public List<RunRecord> open(long term, String timetable, Instant asOf, JobKey... keys) {
		List<RunRecord> opened = new ArrayList<>();
		for (JobKey key : keys) {
			RunRecord known = find(key);
			RunRecord first = RunRecord.first(key, term, timetable, asOf);
			boolean done = (known != null) ? write(known.opened(term, timetable, asOf))
					: !this.store.insert(List.of(stored(first)), TIMEOUT).isEmpty();
			if (done) {
				opened.add(find(key));
			}
		}
		return opened;
	}

	/** Start a run of a job, and return whether its start is recorded. */
	public boolean start(JobKey key, JobRun run) {
		RunRecord known = find(key);
		return known != null && write(known.started(run));
	}

	/** End a run, if it is the last one. */
	public void end(JobKey key, String run, JobRun.Outcome outcome) {
		RunRecord known = find(key);
		boolean unused = known.isLast(run)
				&& write(known.finished(RunRecord.ended(known.last(), outcome, Instant.now()), known.covered(), 0));
	}

	/** Cover fire times, and return whether that was done. */
	public boolean cover(RunRecord known, Instant until, int missed) {
		return write(known.missed(known.fence(), until, missed));
	}

	private boolean write(@Nullable RunRecord next) {
		return next != null && !this.store.replace(List.of(stored(next)), TIMEOUT).isEmpty();
	}

	/** Return a record that must not be damaged. */
	static RunRecord decoded(JobKey key, StoredRecord stored, Instant now) {
		try {
			return RunCodec.toRecord(key, stored, now);
		}
		catch (DamagedRecordException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Return a record as it is stored. */
	public static StoredRecord stored(RunRecord record) {
		return RunCodec.toStored(record.key().id(), record);
	}

}
