package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunStore} in memory, for tests and for processes that are alone. Never waits,
 * so that timeouts have no effect. Safe for use by several threads.
 */
public final class InMemoryRunStore implements RunStore {

	private final InstantSource clock;

	private final Map<JobKey, RunRecord> records = new HashMap<>();

	/**
	 * Create an empty store that dates runs by the clock of the system.
	 */
	public InMemoryRunStore() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty store.
	 * @param clock what dates the starts and ends of runs
	 */
	public InMemoryRunStore(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized RunReading open(Collection<RunOpening> openings, Duration timeout) {
		Map<JobKey, RunRecord> opened = new HashMap<>();
		for (RunOpening opening : openings) {
			RunRecord record = this.records.computeIfAbsent(opening.key(),
					(key) -> new RunRecord(key, 0, opening.asOf(), opening.timetable(), 0, 0, null));
			if (record.fence() <= opening.term()) {
				boolean known = record.timetable().equals(opening.timetable());
				record = new RunRecord(record.key(), opening.term(),
						known ? record.covered() : later(record.covered(), opening.asOf()), opening.timetable(),
						record.skipped(), record.missed(), record.last());
				this.records.put(opening.key(), record);
				opened.put(opening.key(), record);
			}
		}
		return new RunReading(opened, Map.of());
	}

	@Override
	public synchronized RunRecord start(RunStart start, Duration timeout) {
		RunRecord record = this.records.get(start.key());
		if (record == null) {
			throw new UnusableRecordException(start.key(), "there is none");
		}
		if (isAllowed(start, record)) {
			JobRun run = start.run();
			record = new RunRecord(record.key(), run.term(), later(record.covered(), run.fireTime()),
					record.timetable(), record.skipped(), record.missed(), dated(run, now(), null, Outcome.RUNNING));
			this.records.put(start.key(), record);
		}
		return record;
	}

	private static boolean isAllowed(RunStart start, RunRecord record) {
		JobRun run = start.run();
		JobRun last = record.last();
		if (run.term() < record.fence() || !isExpected(start, last)) {
			return false;
		}
		if (start.isFurtherAttempt()) {
			return last != null && Objects.equals(last.fireTime(), run.fireTime())
					&& (last.outcome() == Outcome.RUNNING || last.outcome() == Outcome.UNFINISHED);
		}
		return run.fireTime() == null || run.fireTime().isAfter(record.covered());
	}

	private static boolean isExpected(RunStart start, @Nullable JobRun last) {
		return (last != null) ? last.id().equals(start.previous()) : start.previous() == null;
	}

	@Override
	public synchronized boolean finish(RunEnd end, Duration timeout) {
		RunRecord record = this.records.get(end.key());
		JobRun last = (record != null) ? record.last() : null;
		if (record == null || last == null || !last.id().equals(end.runId()) || last.outcome() != Outcome.RUNNING) {
			return false;
		}
		Instant covered = record.covered();
		if (end.outcome() == Outcome.WITHDRAWN) {
			if (record.fence() != last.term()) {
				return false;
			}
			covered = covered.equals(last.fireTime()) ? covered.minusMillis(1) : covered;
		}
		this.records.put(end.key(), new RunRecord(record.key(), record.fence(), covered, record.timetable(),
				record.skipped(), record.missed(),
				dated(last, last.startedAt(), (end.outcome() != Outcome.UNFINISHED) ? now() : null, end.outcome())));
		return true;
	}

	@Override
	public synchronized boolean cover(RunCover cover, Duration timeout) {
		RunRecord record = this.records.get(cover.key());
		if (record == null || record.fence() > cover.term() || !cover.from().equals(record.covered())) {
			return false;
		}
		this.records.put(cover.key(), new RunRecord(record.key(), record.fence(), cover.until(), record.timetable(),
				record.skipped() + cover.skipped(), record.missed() + cover.missed(), record.last()));
		return true;
	}

	@Override
	public synchronized RunReading find(Collection<JobKey> keys, Duration timeout) {
		Map<JobKey, RunRecord> found = new HashMap<>();
		for (JobKey key : keys) {
			RunRecord record = this.records.get(key);
			if (record != null) {
				found.put(key, record);
			}
		}
		return new RunReading(found, Map.of());
	}

	private Instant now() {
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	private static JobRun dated(JobRun run, @Nullable Instant startedAt, @Nullable Instant finishedAt,
			Outcome outcome) {
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), startedAt, finishedAt, outcome);
	}

	private static Instant later(Instant one, @Nullable Instant other) {
		return (other != null && other.isAfter(one)) ? other : one;
	}

}
