package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.List;

import com.mongodb.client.model.Projections;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.StoredText;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the stored record of a job, and how they are read: strictly, but for what
 * only informs. Fields that are not known are ignored.
 */
final class RunDocument {

	static final String ID = "_id";

	static final String FENCE = "fence";

	static final String COVERED = "covered";

	static final String TIMETABLE = "timetable";

	static final String SKIPPED = "skipped";

	static final String MISSED = "missed";

	static final String RUN = "run";

	static final String FIRE_TIME = "fireTime";

	static final String CAUSE = "cause";

	static final String ATTEMPT = "attempt";

	static final String TERM = "term";

	static final String CANDIDATE = "candidate";

	static final String STARTED_AT = "startedAt";

	static final String FINISHED_AT = "finishedAt";

	static final String OUTCOME = "outcome";

	/** Just what this class reads. */
	static final List<String> FIELDS = List.of(ID, FENCE, COVERED, TIMETABLE, SKIPPED, MISSED, RUN, FIRE_TIME, CAUSE,
			ATTEMPT, TERM, CANDIDATE, STARTED_AT, FINISHED_AT, OUTCOME);

	static final Bson PROJECTION = Projections.include(FIELDS);

	/** Far more than a record needs, with a few notes of somebody else's in it. */
	static final SizeLimit LIMIT = new SizeLimit(16 * 1024);

	private RunDocument() {
	}

	/**
	 * Read a record.
	 * @param latest beyond what is sensible: a date that is later suppresses every run
	 * until then, and was edited, or comes from a clock that was far ahead
	 */
	static RunRecord toRecord(JobKey key, StoredDocument stored, Instant latest) throws DamagedDocumentException {
		return stored.read(LIMIT, FIELDS, (document) -> record(key, document, latest));
	}

	private static RunRecord record(JobKey key, BsonDocument document, Instant latest) throws DamagedDocumentException {
		return new RunRecord(key, StoredFields.number(document, FENCE, 0, Lease.MAX_TERM),
				date(document, COVERED, latest), StoredFields.text(document, TIMETABLE),
				StoredFields.number(document, SKIPPED, 0, Lease.MAX_TERM),
				StoredFields.number(document, MISSED, 0, Lease.MAX_TERM), last(key, document, latest));
	}

	private static @Nullable JobRun last(JobKey key, BsonDocument document, Instant latest)
			throws DamagedDocumentException {
		if (StoredFields.isAbsent(document, RUN)) {
			return null;
		}
		Instant fireTime = StoredFields.isAbsent(document, FIRE_TIME) ? null : date(document, FIRE_TIME, latest);
		return new JobRun(run(document), key.election(), key.job(), fireTime, oneOf(Cause.class, document, CAUSE),
				(int) StoredFields.number(document, ATTEMPT, 1, Integer.MAX_VALUE),
				StoredFields.number(document, TERM, 0, Lease.MAX_TERM),
				StoredText.printable(StoredFields.text(document, CANDIDATE)),
				StoredFields.instant(document, STARTED_AT), StoredFields.instant(document, FINISHED_AT),
				oneOf(Outcome.class, document, OUTCOME));
	}

	/** It is shown, and compared too, so that none can be shown in place of another. */
	private static String run(BsonDocument document) throws DamagedDocumentException {
		String run = StoredFields.text(document, RUN);
		if (run.isEmpty() || !StoredText.printable(run).equals(run)) {
			throw new DamagedDocumentException("'%s' must be the id of a run but is %s".formatted(RUN,
					run.isEmpty() ? "an empty string" : "another string"));
		}
		return run;
	}

	private static Instant date(BsonDocument document, String field, Instant latest) throws DamagedDocumentException {
		Instant date = StoredFields.instant(document, field);
		if (date == null) {
			throw new DamagedDocumentException(
					"'%s' must be a date but is %s".formatted(field, StoredFields.describe(document.get(field))));
		}
		if (date.isBefore(Instant.EPOCH) || date.isAfter(latest)) {
			throw new DamagedDocumentException(
					"'%s' must be between %s and a year from now but is %s".formatted(field, Instant.EPOCH, date));
		}
		return date;
	}

	private static <E extends Enum<E>> E oneOf(Class<E> type, BsonDocument document, String field)
			throws DamagedDocumentException {
		String name = StoredFields.text(document, field);
		for (E constant : type.getEnumConstants()) {
			if (constant.name().equals(name)) {
				return constant;
			}
		}
		throw new DamagedDocumentException(
				"'%s' must be one of %s but is another string".formatted(field, List.of(type.getEnumConstants())));
	}

}
