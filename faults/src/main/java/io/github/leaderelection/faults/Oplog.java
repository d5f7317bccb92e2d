package io.github.leaderelection.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * Reads from MongoDB's own log who has taken and released the leases.
 */
final class Oplog {

	private Oplog() {
	}

	static List<StoredTerm> terms(MongoClient client, String database) {
		Bson updates = Filters.and(Filters.eq("op", "u"), Filters.eq("ns", database + ".leader_election_leases"));
		List<StoredTerm> terms = new ArrayList<>();
		Map<String, StoredTerm> last = new HashMap<>();
		for (BsonDocument entry : client.getDatabase("local")
			.getCollection("oplog.rs", BsonDocument.class)
			.find(updates)) {
			String election = entry.getDocument("o2").getString("_id").getValue();
			BsonDocument changed = entry.getDocument("o").getDocument("diff").getDocument("u");
			StoredTerm before = last.get(election);
			if (changed.containsKey("term")) {
				// Only what is new is recorded: a candidate may take its own lease.
				String holder = changed.containsKey("holder") ? candidate(changed.getString("holder").getValue())
						: before.holder();
				last.put(election, new StoredTerm(election, changed.getNumber("term").longValue(), holder, false));
				terms.add(last.get(election));
			}
			else if (changed.containsKey("holder")) {
				terms.set(terms.indexOf(before), before.asReleased());
			}
		}
		return terms;
	}

	/** Return whose session it is. */
	private static String candidate(String session) {
		return session.substring(0, session.lastIndexOf('#'));
	}

}
