package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseRenewal;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * The renewal of several leases by one command, and what its answer says about each. The
 * answer has a number of matches for all of them only; where that is not the number of
 * claims, one read tells them apart.
 */
final class BulkRenewal {

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	private static final Bson HOLDER_AND_TERM = Projections.include(LeaseDocument.HOLDER, LeaseDocument.TERM);

	private final List<LeaseClaim> claims;

	private final Set<LeaseClaim> failed = new HashSet<>();

	BulkRenewal(Set<LeaseClaim> claims) {
		this.claims = List.copyOf(claims);
	}

	LeaseRenewal run(MongoCall call) {
		int matched = call.run("renew %d leases".formatted(this.claims.size()), "update", this::write);
		if (matched + this.failed.size() == this.claims.size()) {
			return new LeaseRenewal(without(this.failed), Set.of());
		}
		Set<String> elections = this.claims.stream().map(LeaseClaim::election).collect(Collectors.toSet());
		Map<String, BsonDocument> stored = MongoLeaseStore.find(call, elections, HOLDER_AND_TERM);
		Set<LeaseClaim> held = new HashSet<>(this.claims);
		held.removeIf((claim) -> !LeaseDocument.shows(stored.get(claim.election()), claim));
		// A holder and term that a lease has left never return, since every taking has a
		// new term. So who is still shown was there when the command ran: it was matched,
		// and renewed. Who is not shown has lost the lease for good. That holds only if
		// every statement has run, which after an error is not certain: then those still
		// shown are in doubt.
		boolean allRan = this.failed.isEmpty() && held.size() <= matched;
		return new LeaseRenewal(allRan ? held : Set.of(), without(held));
	}

	private int write(MongoCollection<BsonDocument> collection) {
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>(this.claims.size());
		for (LeaseClaim claim : this.claims) {
			updates.add(new UpdateOneModel<>(MongoLeaseStore.asClaimed(claim), Updates
				.combine(Updates.inc(LeaseDocument.REVISION, 1L), Updates.currentDate(LeaseDocument.RENEWED_AT))));
		}
		return result(collection, updates).getMatchedCount();
	}

	private BulkWriteResult result(MongoCollection<BsonDocument> collection,
			List<UpdateOneModel<BsonDocument>> updates) {
		try {
			return collection.bulkWrite(updates, UNORDERED);
		}
		catch (MongoBulkWriteException ex) {
			if (ex.getWriteConcernError() != null) {
				// Written, but perhaps on the primary alone, and a failover may take it
				// back: no renewal.
				throw ex;
			}
			ex.getWriteErrors().forEach((error) -> this.failed.add(this.claims.get(error.getIndex())));
			return ex.getWriteResult();
		}
	}

	private Set<LeaseClaim> without(Set<LeaseClaim> others) {
		Set<LeaseClaim> rest = new HashSet<>(this.claims);
		rest.removeAll(others);
		return rest;
	}

}
