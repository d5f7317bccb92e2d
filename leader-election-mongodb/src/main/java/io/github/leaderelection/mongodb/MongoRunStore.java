package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;
import io.github.leaderelection.store.UnusableRecordException;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunStore} in MongoDB 4.4 or later, or a server compatible with it. Each job
 * has one document in the collection {@value #COLLECTION}:
 *
 * <pre class="code">
 * {
 *   _id: "invoices/nightly-report",    // the election and the job
 *   fence: NumberLong(7),              // the term under which it was opened last
 *   covered: ISODate("..."),           // all fire times up to here are settled
 *   timetable: "cron 0 0 2 * * *",     // as of the last opening
 *   skipped: NumberLong(0),            // fire times that came while a run still went on
 *   missed: NumberLong(2),             // fire times that passed without a run
 *   run: "k3v9-118",                   // the last run that was started, or null
 *   fireTime: ISODate("..."),          // for when, as its timetable names it, or null
 *   cause: "SCHEDULED",                // or CATCH_UP, TRIGGERED
 *   attempt: 1,
 *   term: NumberLong(7),               // under which it was started
 *   candidate: "shop@web-1:4711-k3v9", // who has started it
 *   startedAt: ISODate("..."),         // by the server's clock
 *   finishedAt: ISODate("..."),        // by the same, or null
 *   outcome: "SUCCEEDED"               // or RUNNING, FAILED, UNFINISHED, WITHDRAWN
 * }
 * </pre>
 *
 * Nothing is decided by {@code startedAt} and {@code finishedAt}. Documents are never
 * deleted by this class, and fields that it does not know stay as they are.
 * <ol>
 * <li>Records are opened by one {@code update} command with two statements for each. One
 * inserts the document if there is none, and raises the fence to the term, never lowers
 * it. The other, as long as the fence is not above the term, replaces a timetable that
 * differs, and raises what is covered with it. One {@code find} then shows the records;
 * of those whose fence is the term it is certain that nothing of earlier terms will be
 * added.
 * <li>A run is started by a {@code findAndModify}, which names the last run and a bound
 * for the fence and for what is covered, and sets all of them. If nothing matches one
 * {@code find} shows why: perhaps the run was recorded by an attempt whose answer was
 * lost.
 * <li>Its end is recorded by an {@code update} that names the run, and that it has not
 * ended. For one that is withdrawn it also names the fence, which is read first.
 * <li>Fire times that nothing was started for are settled by an {@code update} that names
 * a bound for the fence, and what was covered until then.
 * </ol>
 * Hence a command that arrives late, or twice, matches nothing any more, or changes
 * nothing.
 * <p>
 * Reads and writes have majority concern and go to the primary, whatever the settings of
 * the client are. A write that matches nothing waits for a majority, too, to have what it
 * has seen, and so the {@code find} that follows it shows that.
 */
public final class MongoRunStore implements RunStore {

	/**
	 * The name of the collection that holds the records.
	 */
	public static final String COLLECTION = "leader_election_runs";

	/** Clocks may differ by a day. */
	private static final Duration FAR_AHEAD = MOST_AHEAD.plusDays(1);

	private final MongoCollection<BsonDocument> collection;

	private final RunQuery query = new RunQuery();

	private final InstantSource clock;

	/**
	 * Create a store. Does no I/O: the collection comes into being with the first record.
	 * @param database where records are kept; all candidates of an election must use the
	 * same
	 */
	public MongoRunStore(MongoDatabase database) {
		this(database, InstantSource.system());
	}

	/**
	 * Create a store.
	 * @param clock by which dates of records are taken for sensible or not
	 */
	MongoRunStore(MongoDatabase database, InstantSource clock) {
		this.clock = clock;
		this.collection = database.getCollection(COLLECTION, BsonDocument.class)
			// An application's own codecs have no business here.
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		List<RunOpening> each = List.copyOf(openings);
		if (each.isEmpty()) {
			return new RunReading(Map.of(), Map.of());
		}
		MongoCall call = new MongoCall(this.collection, timeout);
		Map<JobKey, String> damaged = raise(call, each);
		RunReading reading = find(call, each.stream().map(RunOpening::key).toList());
		damaged.putAll(reading.damaged());
		Map<JobKey, RunRecord> opened = new HashMap<>();
		for (RunOpening opening : each) {
			JobKey key = opening.key();
			RunRecord record = reading.records().get(key);
			if (damaged.containsKey(key) || (record != null && record.fence() > opening.term())) {
				continue;
			}
			String flaw = flaw(opening, record);
			if (flaw != null) {
				damaged.put(key, flaw);
			}
			else if (record != null) {
				opened.put(key, record);
			}
		}
		return new RunReading(opened, damaged);
	}

	/** Send the statements, and return those jobs for which the server refused one. */
	private static Map<JobKey, String> raise(MongoCall call, List<RunOpening> openings) {
		String what = "open the runs of %d jobs".formatted(openings.size());
		String actions = "find, insert and update";
		BulkUpdate update = BulkUpdate.run(call, what, actions,
				openings.stream().flatMap((opening) -> RunUpdates.open(opening).stream()).toList());
		Map<JobKey, String> damaged = new LinkedHashMap<>();
		MongoBulkWriteException failure = update.failure();
		if (failure != null) {
			for (BulkWriteError error : failure.getWriteErrors()) {
				damaged.put(openings.get(error.getIndex() / 2).key(),
						"it can't be written, code %d".formatted(error.getCode()));
			}
			if (damaged.size() == openings.size() && openings.size() > 1) {
				throw call.failed(what, actions, failure);
			}
		}
		return damaged;
	}

	/**
	 * Return why a record can't be relied on though nothing was refused, {@code null} if
	 * it can: only one that shows this very fence shows all that came before.
	 */
	private static @Nullable String flaw(RunOpening opening, @Nullable RunRecord record) {
		if (record == null) {
			return "it was made but is not there. Was it removed, or does the collection have a collation by which "
					+ "two names are the same?";
		}
		return (record.fence() == opening.term() && record.timetable().equals(opening.timetable())) ? null
				: "it was opened but does not show it. Was it edited?";
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		MongoCall call = new MongoCall(this.collection, timeout);
		JobKey key = start.key();
		String what = "start a run of job '%s'".formatted(key);
		StoredDocument document = this.query
			.findAndUpdate(call, what, RunUpdates.startable(start), RunUpdates.start(start.run()))
			.orElse(null);
		RunRecord record = (document != null) ? sound(read(List.of(key), List.of(document)), key) : find(call, key);
		if (record == null) {
			throw new UnusableRecordException(key, "there is none in '%s'".formatted(call.collection()));
		}
		return record;
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		Bson running = RunUpdates.running(end);
		if (end.outcome() != Outcome.WITHDRAWN) {
			return update(new MongoCall(this.collection, timeout), "end a run", end.key(), running,
					RunUpdates.finish(end));
		}
		// What is withdrawn may not have reached a majority yet; its end will.
		MongoCall call = new MongoCall(this.collection.withReadConcern(ReadConcern.LOCAL), timeout);
		RunRecord record = find(call, end.key());
		JobRun last = (record != null) ? record.last() : null;
		if (record == null || last == null || !last.id().equals(end.runId())) {
			return false;
		}
		Instant fireTime = last.fireTime();
		Bson known = Filters.and(running, Filters.eq(RunDocument.FENCE, last.term()),
				RunUpdates.covers(record.covered()));
		return update(call, "withdraw a run", end.key(), known, (fireTime != null && fireTime.equals(record.covered()))
				? RunUpdates.withdraw(end, fireTime) : RunUpdates.finish(end));
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		return update(new MongoCall(this.collection, timeout), "cover fire times", cover.key(),
				RunUpdates.coverable(cover), RunUpdates.cover(cover));
	}

	private static boolean update(MongoCall call, String what, JobKey key, Bson filter, Bson update) {
		return call.run("%s of job '%s'".formatted(what, key), "update",
				(collection) -> collection.updateOne(filter, update).getMatchedCount() == 1);
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		return find(new MongoCall(this.collection, timeout), List.copyOf(keys));
	}

	private @Nullable RunRecord find(MongoCall call, JobKey key) {
		return sound(find(call, List.of(key)), key);
	}

	private RunReading find(MongoCall call, List<JobKey> keys) {
		if (keys.isEmpty()) {
			return new RunReading(Map.of(), Map.of());
		}
		Map<String, JobKey> ids = byId(keys);
		return read(keys, this.query.find(call, ids.keySet()));
	}

	private RunReading read(List<JobKey> keys, List<StoredDocument> documents) {
		Map<String, JobKey> ids = byId(keys);
		Instant latest = this.clock.instant().plus(FAR_AHEAD);
		Map<JobKey, RunRecord> records = new HashMap<>();
		Map<JobKey, String> damaged = new HashMap<>();
		for (StoredDocument document : documents) {
			String id = document.id();
			// By a collation a document may answer to another name than its own.
			JobKey key = (id != null) ? ids.get(id) : null;
			if (key == null) {
				continue;
			}
			try {
				records.put(key, RunDocument.toRecord(key, document, latest));
			}
			catch (DamagedDocumentException ex) {
				damaged.put(key, String.valueOf(ex.getMessage()));
			}
		}
		return new RunReading(records, damaged);
	}

	private static Map<String, JobKey> byId(List<JobKey> keys) {
		Map<String, JobKey> ids = new HashMap<>();
		keys.forEach((key) -> ids.put(key.id(), key));
		return ids;
	}

	private static @Nullable RunRecord sound(RunReading reading, JobKey key) {
		String damage = reading.damaged().get(key);
		if (damage != null) {
			throw new UnusableRecordException(key, damage);
		}
		return reading.records().get(key);
	}

}
