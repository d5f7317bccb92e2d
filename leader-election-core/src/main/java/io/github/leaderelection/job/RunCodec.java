package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * How the record of a job is stored, and how it is read: strictly, since anybody may have
 * edited it, but for what only informs.
 */
final class RunCodec {

	/**
	 * How far ahead of the clock a fire time may be. Where a record covers later ones it
	 * is damaged: it would suppress every run until then.
	 */
	static final Duration MOST_AHEAD = Duration.ofDays(365);

	/** Clocks may differ by a day. */
	private static final Duration FAR_AHEAD = MOST_AHEAD.plusDays(1);

	/** No record is changed so often, and one that was edited leaves room to go on. */
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

	private static final String OUTCOME = "outcome";

	static final List<String> FIELDS = List.of(FENCE, COVERED, TIMETABLE, SKIPPED, MISSED, RUN, FIRE_TIME, CAUSE,
			ATTEMPT, TERM, CANDIDATE, STARTED_AT, FINISHED_AT, OUTCOME);

	private RunCodec() {
	}

	static StoredRecord toStored(RunRecord record) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put(FENCE, record.fence());
		fields.put(COVERED, record.covered());
		fields.put(TIMETABLE, record.timetable());
		fields.put(SKIPPED, record.skipped());
		fields.put(MISSED, record.missed());
		JobRun last = record.last();
		if (last == null) {
			fields.put(RUN, null);
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
		return new StoredRecord(record.key().id(), record.revision(), fields);
	}

	/**
	 * Read a record.
	 * @param now the present time, by which dates are taken for sensible or not
	 * @throws UnusableRecordException if it can't be understood, whatever it is
	 */
	static RunRecord toRecord(JobKey key, StoredRecord stored, Instant now) {
		try {
			return new Fields(key, stored.fields(), now.plus(FAR_AHEAD)).record(stored.revision());
		}
		catch (UnusableRecordException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new UnusableRecordException(key,
					"it can't be understood (%s)".formatted(ex.getClass().getSimpleName()));
		}
	}

	/**
	 * The fields of a record that is read. What is said of them never quotes a text.
	 *
	 * @param latest beyond what is sensible: a later date was edited, or comes from a
	 * clock that was far ahead
	 */
	private record Fields(JobKey key, Map<String, @Nullable Object> values, Instant latest) {

		RunRecord record(long revision) {
			if (revision > MOST_CHANGED) {
				throw new UnusableRecordException(this.key,
						"'revision' must be %d at most but is %d".formatted(MOST_CHANGED, revision));
			}
			return new RunRecord(this.key, revision, number(FENCE, 0, Lease.MAX_TERM), date(COVERED), text(TIMETABLE),
					number(SKIPPED, 0, Lease.MAX_TERM), number(MISSED, 0, Lease.MAX_TERM), last());
		}

		private @Nullable JobRun last() {
			if (this.values.get(RUN) == null) {
				return null;
			}
			return new JobRun(run(), this.key.election(), this.key.job(),
					(this.values.get(FIRE_TIME) != null) ? date(FIRE_TIME) : null, oneOf(Cause.class, CAUSE),
					(int) number(ATTEMPT, 1, Integer.MAX_VALUE), number(TERM, 0, Lease.MAX_TERM),
					StoredText.printable(text(CANDIDATE)), dateIfAny(STARTED_AT), dateIfAny(FINISHED_AT),
					oneOf(Outcome.class, OUTCOME));
		}

		/**
		 * It is shown, and compared too, so that none can be shown in place of another.
		 */
		private String run() {
			String run = text(RUN);
			if (run.isEmpty() || !StoredText.printable(run).equals(run)) {
				throw new UnusableRecordException(this.key, "'%s' must be the id of a run but is %s".formatted(RUN,
						run.isEmpty() ? "an empty string" : "another string"));
			}
			return run;
		}

		private Instant date(String field) {
			if (!(this.values.get(field) instanceof Instant date)) {
				throw damage(field, "be a date");
			}
			if (date.isBefore(Instant.EPOCH) || date.isAfter(this.latest)) {
				throw damage(field, "be between %s and a year from now".formatted(Instant.EPOCH));
			}
			return date;
		}

		private @Nullable Instant dateIfAny(String field) {
			return (this.values.get(field) instanceof Instant date) ? date : null;
		}

		private long number(String field, long least, long most) {
			if (!(this.values.get(field) instanceof Long number) || number < least || number > most) {
				throw damage(field, "be a whole number between %d and %d".formatted(least, most));
			}
			return number;
		}

		private String text(String field) {
			if (!(this.values.get(field) instanceof String text)) {
				throw damage(field, "be a string");
			}
			return text;
		}

		private <E extends Enum<E>> E oneOf(Class<E> type, String field) {
			try {
				return Enum.valueOf(type, text(field));
			}
			catch (IllegalArgumentException ex) {
				throw new UnusableRecordException(this.key, "'%s' must be one of %s but is another string"
					.formatted(field, List.of(type.getEnumConstants())));
			}
		}

		private UnusableRecordException damage(String field, String expected) {
			return new UnusableRecordException(this.key,
					"'%s' must %s but is %s".formatted(field, expected, describe(field)));
		}

		private String describe(String field) {
			Object value = this.values.get(field);
			if (value == null) {
				return this.values.containsKey(field) ? "null" : "missing";
			}
			if (value instanceof String text) {
				return text.isEmpty() ? "an empty string" : "a string";
			}
			return String.valueOf(value);
		}

	}

}
