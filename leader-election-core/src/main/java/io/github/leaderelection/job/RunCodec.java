package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Converts the record of a job to its stored form, and back. Fields on which decisions
 * depend are read strictly, since anybody may have edited them. Fields that only inform
 * are not.
 */
final class RunCodec {

	/**
	 * How far ahead of the clock a fire time may be. A record that covers a later time is
	 * damaged: it would suppress every run until then.
	 */
	static final Duration MOST_AHEAD = Duration.ofDays(365);

	/** Allows for clocks that differ by a day. */
	private static final Duration FAR_AHEAD = MOST_AHEAD.plusDays(1);

	/**
	 * The highest revision that is valid. No record is changed that often, and one that
	 * was edited leaves room for further changes.
	 */
	private static final long MOST_CHANGED = StoredRecord.MAX_REVISION / 2;

	private static final String FENCE = "fence";

	private static final String COVERED = "covered";

	private static final String TIMETABLE = "timetable";

	private static final String SKIPPED = "skipped";

	private static final String MISSED = "missed";

	private static final String RUN = "run";

	private static final String FIRE_TIME = "fireTime";

	private static final String CAUSE = "cause";

	private static final String ATTEMPT = "attempt";

	private static final String TERM = "term";

	private static final String CANDIDATE = "candidate";

	private static final String STARTED_AT = "startedAt";

	private static final String FINISHED_AT = "finishedAt";

	static final String OUTCOME = "outcome";

	static final Map<String, FieldType> FIELDS = Map.ofEntries(Map.entry(FENCE, FieldType.NUMBER),
			Map.entry(COVERED, FieldType.DATE), Map.entry(TIMETABLE, FieldType.TEXT),
			Map.entry(SKIPPED, FieldType.NUMBER), Map.entry(MISSED, FieldType.NUMBER), Map.entry(RUN, FieldType.TEXT),
			Map.entry(FIRE_TIME, FieldType.DATE), Map.entry(CAUSE, FieldType.TEXT),
			Map.entry(ATTEMPT, FieldType.NUMBER), Map.entry(TERM, FieldType.NUMBER),
			Map.entry(CANDIDATE, FieldType.TEXT), Map.entry(STARTED_AT, FieldType.DATE),
			Map.entry(FINISHED_AT, FieldType.DATE), Map.entry(OUTCOME, FieldType.TEXT));

	/** The fields of the last run. */
	private static final List<String> RUN_FIELDS = List.of(RUN, FIRE_TIME, CAUSE, ATTEMPT, TERM, CANDIDATE, STARTED_AT,
			FINISHED_AT, OUTCOME);

	private RunCodec() {
	}

	static StoredRecord toStored(String id, RunRecord record) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put(FENCE, record.fence());
		fields.put(COVERED, record.covered());
		fields.put(TIMETABLE, record.timetable());
		fields.put(SKIPPED, record.skipped());
		fields.put(MISSED, record.missed());
		JobRun last = record.last();
		if (last == null) {
			RUN_FIELDS.forEach((field) -> fields.put(field, null));
		}
		else {
			fields.put(RUN, last.id());
			fields.put(FIRE_TIME, last.fireTime());
			fields.put(CAUSE, last.cause().name());
			fields.put(ATTEMPT, (long) last.attempt());
			fields.put(TERM, last.term());
			fields.put(CANDIDATE, last.candidateId());
			fields.put(STARTED_AT, last.startedAt());
			fields.put(FINISHED_AT, last.finishedAt());
			fields.put(OUTCOME, last.outcome().name());
		}
		return new StoredRecord(id, record.revision(), fields);
	}

	/**
	 * Convert a stored record.
	 * @param now the current time; dates too far after it are not valid
	 * @throws DamagedRecordException if the record is not valid
	 */
	static RunRecord toRecord(JobKey key, StoredRecord stored, Instant now) throws DamagedRecordException {
		if (stored.revision() > MOST_CHANGED) {
			throw new DamagedRecordException(
					"'revision' must be at most %d but is %d".formatted(MOST_CHANGED, stored.revision()));
		}
		Instant latest = now.plus(FAR_AHEAD);
		return new RunRecord(key, stored.revision(), stored.number(FENCE, 0, Lease.MAX_TERM),
				stored.date(COVERED, latest), stored.text(TIMETABLE), stored.number(SKIPPED, 0, Lease.MAX_TERM),
				stored.number(MISSED, 0, Lease.MAX_TERM), stored.isAbsent(RUN) ? null : run(key, stored, latest));
	}

	private static JobRun run(JobKey key, StoredRecord stored, Instant latest) throws DamagedRecordException {
		String run = stored.text(RUN);
		// The id is both compared and displayed, so different ids must not look the same.
		if (run.isEmpty() || !StoredText.printable(run).equals(run)) {
			throw stored.damage(RUN, "be the id of a run");
		}
		return new JobRun(run, key.election(), key.job(),
				stored.isAbsent(FIRE_TIME) ? null : stored.date(FIRE_TIME, latest), stored.oneOf(CAUSE, Cause.class),
				(int) stored.number(ATTEMPT, 1, Integer.MAX_VALUE), stored.number(TERM, 0, Lease.MAX_TERM),
				StoredText.printable(stored.text(CANDIDATE)), sensible(stored.dateIfAny(STARTED_AT), latest),
				sensible(stored.dateIfAny(FINISHED_AT), latest), stored.oneOf(OUTCOME, Outcome.class));
	}

	/** Ignore a date that is too far ahead: an interval may count from it. */
	private static @Nullable Instant sensible(@Nullable Instant date, Instant latest) {
		return (date != null && date.isAfter(latest)) ? null : date;
	}

}
