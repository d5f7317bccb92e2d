package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

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

	private static final Bson HOLDER_AND_TERM = Projections.include(LeaseDocument.HOLDER, LeaseDocument.TERM);

	private final List<LeaseClaim> claims;

	BulkRenewal(Set<LeaseClaim> claims) {
		this.claims = List.copyOf(claims);
	}

	LeaseRenewal run(MongoCall call) {
		BulkUpdate update = BulkUpdate.run(call, "renew %d leases".formatted(this.claims.size()), updates());
		if (update.isCertain(this.claims.size())) {
			return new LeaseRenewal(without(update.failed().stream().map(this.claims::get).toList()), Set.of());
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
		boolean allRan = update.failed().isEmpty() && held.size() <= update.matched();
		return new LeaseRenewal(allRan ? held : Set.of(), without(held));
	}

	private List<UpdateOneModel<BsonDocument>> updates() {
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>(this.claims.size());
		for (LeaseClaim claim : this.claims) {
			updates.add(new UpdateOneModel<>(MongoLeaseStore.asClaimed(claim), Updates
				.combine(Updates.inc(LeaseDocument.REVISION, 1L), Updates.currentDate(LeaseDocument.RENEWED_AT))));
		}
		return updates;
	}

	private Set<LeaseClaim> without(Collection<LeaseClaim> others) {
		Set<LeaseClaim> rest = new HashSet<>(this.claims);
		rest.removeAll(others);
		return rest;
	}

}
