package io.github.leaderelection.faults;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job's record after one of its changes, as shown by MongoDB's oplog.
 *
 * @param covered the time up to which all fire times are settled
 * @param skipped the number of fire times that came during a run
 * @param missed the number of fire times that passed without a run
 * @param run the id of the last run
 * @param fireTime its fire time
 * @param cause why it was started
 * @param attempt the number of the attempt
 * @param term the term under which it was started
 * @param outcome its outcome
 */
record RecordedState(Instant covered, long skipped, long missed, @Nullable String run, @Nullable Instant fireTime,
		@Nullable String cause, int attempt, long term, @Nullable String outcome) {

	/**
	 * Read the states of a job, the oldest first.
	 */
	static List<RecordedState> read(MongoClient client, String database, String id) {
		List<RecordedState> states = new ArrayList<>();
		BsonDocument document = new BsonDocument();
		for (BsonDocument entry : client.getDatabase("local")
			.getCollection("oplog.rs", BsonDocument.class)
			.find(Filters.and(Filters.in("op", "i", "u"), Filters.eq("ns", database + ".leader_election_runs")))) {
			BsonDocument change = entry.getDocument("o");
			BsonDocument whole = entry.containsKey("o2") ? entry.getDocument("o2") : change;
			if (whole.getString("_id").getValue().equals(id)) {
				if (entry.getString("op").getValue().equals("i")) {
					document = change.clone();
				}
				else {
					BsonDocument diff = change.getDocument("diff");
					document.putAll(diff.getDocument("u", new BsonDocument()));
					document.putAll(diff.getDocument("i", new BsonDocument()));
				}
				states.add(of(document));
			}
		}
		return states;
	}

	private static RecordedState of(BsonDocument document) {
		return new RecordedState(Instant.ofEpochMilli(document.getDateTime("covered").getValue()),
				document.getNumber("skipped").longValue(), document.getNumber("missed").longValue(),
				string(document, "run"),
				(document.containsKey("fireTime") && !document.isNull("fireTime"))
						? Instant.ofEpochMilli(document.getDateTime("fireTime").getValue()) : null,
				string(document, "cause"), (int) number(document, "attempt"), number(document, "term"),
				string(document, "outcome"));
	}

	private static long number(BsonDocument document, String name) {
		return document.isNumber(name) ? document.getNumber(name).longValue() : 0;
	}

	private static @Nullable String string(BsonDocument document, String name) {
		return document.get(name, BsonNull.VALUE).isNull() ? null : document.getString(name).getValue();
	}

}
