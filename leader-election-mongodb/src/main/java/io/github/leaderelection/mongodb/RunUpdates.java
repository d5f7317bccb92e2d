package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunStart;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * What is matched and changed in the documents of jobs, by plain operators.
 */
final class RunUpdates {

	private static final UpdateOptions UPSERT = new UpdateOptions().upsert(true);

	private RunUpdates() {
	}

	/**
	 * Return the two statements that open a record. They may run in any order, more than
	 * once, or one of them alone, before, between and after those of other terms.
	 */
	static List<UpdateOneModel<BsonDocument>> open(RunOpening opening) {
		String id = opening.key().id();
		Bson created = Updates.combine(Updates.setOnInsert(RunDocument.COVERED, date(opening.asOf())),
				Updates.setOnInsert(RunDocument.TIMETABLE, opening.timetable()),
				Updates.setOnInsert(RunDocument.SKIPPED, 0L), Updates.setOnInsert(RunDocument.MISSED, 0L),
				Updates.setOnInsert(RunDocument.RUN, null));
		Bson fence = Updates.max(RunDocument.FENCE, opening.term());
		Bson otherTimetable = Filters.and(notFenced(opening.key(), opening.term()),
				Filters.ne(RunDocument.TIMETABLE, opening.timetable()));
		return List.of(new UpdateOneModel<>(Filters.eq(RunDocument.ID, id), Updates.combine(created, fence), UPSERT),
				new UpdateOneModel<>(otherTimetable,
						Updates.combine(fence, Updates.set(RunDocument.TIMETABLE, opening.timetable()),
								Updates.max(RunDocument.COVERED, date(opening.asOf())))));
	}

	/** Match the record as long as nothing was opened or started under a later term. */
	static Bson notFenced(JobKey key, long term) {
		return Filters.and(Filters.eq(RunDocument.ID, key.id()), Filters.lte(RunDocument.FENCE, term));
	}

	static Bson startable(RunStart start) {
		JobRun run = start.run();
		List<Bson> filters = new ArrayList<>();
		filters.add(notFenced(start.key(), run.term()));
		filters.add(Filters.eq(RunDocument.RUN, start.previous()));
		if (start.isFurtherAttempt()) {
			filters.add(Filters.eq(RunDocument.FIRE_TIME, dateOrNull(run.fireTime())));
			filters.add(Filters.in(RunDocument.OUTCOME, Outcome.RUNNING.name(), Outcome.UNFINISHED.name()));
		}
		else if (run.fireTime() != null) {
			filters.add(Filters.lt(RunDocument.COVERED, date(run.fireTime())));
		}
		return Filters.and(filters);
	}

	static Bson start(JobRun run) {
		List<Bson> updates = new ArrayList<>(List.of(Updates.set(RunDocument.FENCE, run.term()),
				Updates.set(RunDocument.RUN, run.id()), Updates.set(RunDocument.FIRE_TIME, dateOrNull(run.fireTime())),
				Updates.set(RunDocument.CAUSE, run.cause().name()), Updates.set(RunDocument.ATTEMPT, run.attempt()),
				Updates.set(RunDocument.TERM, run.term()), Updates.set(RunDocument.CANDIDATE, run.candidateId()),
				Updates.currentDate(RunDocument.STARTED_AT), Updates.set(RunDocument.FINISHED_AT, null),
				Updates.set(RunDocument.OUTCOME, Outcome.RUNNING.name())));
		if (run.fireTime() != null) {
			updates.add(Updates.max(RunDocument.COVERED, date(run.fireTime())));
		}
		return Updates.combine(updates);
	}

	/** Match the record as long as the run is the last one and has not ended. */
	static Bson running(RunEnd end) {
		return Filters.and(Filters.eq(RunDocument.ID, end.key().id()), Filters.eq(RunDocument.RUN, end.runId()),
				Filters.eq(RunDocument.OUTCOME, Outcome.RUNNING.name()));
	}

	static Bson finish(RunEnd end) {
		Bson outcome = Updates.set(RunDocument.OUTCOME, end.outcome().name());
		return (end.outcome() != Outcome.UNFINISHED)
				? Updates.combine(outcome, Updates.currentDate(RunDocument.FINISHED_AT)) : outcome;
	}

	static Bson withdraw(RunEnd end, Instant fireTime) {
		return Updates.combine(finish(end), Updates.set(RunDocument.COVERED, date(fireTime.minusMillis(1))));
	}

	/** Match the record as long as just that is covered. */
	static Bson covers(Instant covered) {
		return Filters.eq(RunDocument.COVERED, date(covered));
	}

	/** Match the record as long as just that is covered which was expected. */
	static Bson coverable(RunCover cover) {
		return Filters.and(notFenced(cover.key(), cover.term()), covers(cover.from()));
	}

	static Bson cover(RunCover cover) {
		return Updates.combine(Updates.set(RunDocument.COVERED, date(cover.until())),
				Updates.inc(RunDocument.SKIPPED, (long) cover.skipped()),
				Updates.inc(RunDocument.MISSED, (long) cover.missed()));
	}

	private static @Nullable Date dateOrNull(@Nullable Instant instant) {
		return (instant != null) ? date(instant) : null;
	}

	private static Date date(Instant instant) {
		return new Date(instant.toEpochMilli());
	}

}
