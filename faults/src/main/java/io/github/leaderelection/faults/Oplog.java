package io.github.leaderelection.faults;

import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * Reads from MongoDB's oplog which candidates have taken and released the leases.
 */
final class Oplog {

	private Oplog() {
	}

	static List<StoredTerm> terms(MongoClient client, String database) {
		Bson updates = Filters.and(Filters.eq("op", "u"), Filters.eq("ns", database + ".leader_election_leases"));
		StoredTerms terms = new StoredTerms();
		for (BsonDocument entry : client.getDatabase("local")
			.getCollection("oplog.rs", BsonDocument.class)
			.find(updates)) {
			String election = entry.getDocument("o2").getString("_id").getValue();
			BsonDocument changed = entry.getDocument("o").getDocument("diff").getDocument("u");
			if (changed.containsKey("term")) {
				// Only changed fields are logged: a candidate may take its own lease.
				terms.taken(election, changed.getNumber("term").longValue(),
						changed.containsKey("holder") ? changed.getString("holder").getValue() : null);
			}
			else if (changed.containsKey("holder")) {
				terms.released(election);
			}
		}
		return terms.all();
	}

}
