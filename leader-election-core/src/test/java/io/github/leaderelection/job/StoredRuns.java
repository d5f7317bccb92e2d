package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of jobs as tests look at them, and change them, behind the back of those
 * who run jobs.
 */
public final class StoredRuns {

	private final RunRecords records;

	public StoredRuns(RecordStore store) {
		this.records = new RunRecords(store, new RunClock(EngineClock.SYSTEM));
	}

	/** Return the record, {@code null} if there is none, or it is damaged. */
	public @Nullable RunRecord find(JobKey key) {
		return this.records.find(List.of(key)).records().get(key);
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	public @Nullable String damage(JobKey key) {
		return this.records.find(List.of(key)).damaged().get(key);
	}

	/** Open records, and return those that were opened. */
	public List<RunRecord> open(long term, String timetable, Instant asOf, JobKey... keys) {
		List<RunOpening> openings = List.of(keys)
			.stream()
			.map((key) -> new RunOpening(key, term, timetable, asOf))
			.toList();
		return List.copyOf(this.records.open(openings, (before) -> {
		}).records().values());
	}

	/** Start a run of a job, and return whether its start is recorded. */
	public boolean start(JobKey key, JobRun run) {
		RunRecord known = find(key);
		return known != null && this.records.start(known, run, Duration.ofSeconds(60)).isLast(run.id());
	}

	/** End a run. */
	public void end(JobKey key, String run, JobRun.Outcome outcome) {
		boolean unused = this.records.end(new RunEnd(key, run, outcome, Instant.now(), null));
	}

	/** Settle fire times, and return whether that was done. */
	public boolean cover(RunRecord known, Instant until, int missed) {
		return this.records.cover(known, new RunCover(known.fence(), known.covered(), until, 0, missed)) != null;
	}

	/** Return a record as it is stored. */
	public static StoredRecord stored(RunRecord record) {
		return RunCodec.toStored(record);
	}

}
