package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of jobs as tests look at them, and change them, behind the back of those
 * who run jobs.
 */
public final class StoredRuns {

	private final RunStore store;

	public StoredRuns(RecordStore store) {
		this.store = new RunStore(store, "", new RunClock(EngineClock.SYSTEM));
	}

	private JobState read(JobKey key) {
		JobState state = new JobState(key);
		this.store.read(List.of(state));
		return state;
	}

	/** Return the record, {@code null} if there is none, or it is damaged. */
	public @Nullable RunRecord find(JobKey key) {
		return read(key).record();
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	public @Nullable String damage(JobKey key) {
		return read(key).damage();
	}

	/** Open records, and return those that were opened. */
	public List<RunRecord> open(long term, String timetable, Instant asOf, JobKey... keys) {
		List<RunRecord> opened = new ArrayList<>();
		List<JobState> states = Stream.of(keys).map(JobState::new).toList();
		states.forEach((state) -> state.later(new RunChange.Open(term, timetable, asOf),
				(before, after) -> opened.add(after)));
		this.store.flush(states);
		return opened;
	}

	/** Start a run of a job, and return whether its start is recorded. */
	public boolean start(JobKey key, JobRun run) {
		JobState state = read(key);
		RunRecord known = state.record();
		return known != null && this.store.change(state, known, new RunChange.Start(run), Duration.ofSeconds(60));
	}

	/** End a run. */
	public void end(JobKey key, String run, JobRun.Outcome outcome) {
		write(key, new RunChange.Finish(run, outcome, Instant.now(), null));
	}

	/** Cover fire times, and return whether that was done. */
	public boolean cover(RunRecord known, Instant until, int missed) {
		return write(known.key(), new RunChange.Cover(known.fence(), known.covered(), until, 0, missed));
	}

	private boolean write(JobKey key, RunChange change) {
		JobState state = new JobState(key);
		AtomicBoolean written = new AtomicBoolean();
		state.later(change, (before, after) -> written.set(true));
		this.store.flush(List.of(state));
		return written.get();
	}

	/** Return a record that is not damaged. */
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
		return RunCodec.toStored(record);
	}

}
