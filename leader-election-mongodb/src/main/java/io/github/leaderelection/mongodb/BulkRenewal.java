package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.mongodb.client.model.Filters;
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

	private static final Bson NAME_AND_TERM = Projections.include(LeaseDocument.ID, LeaseDocument.TERM);

	private final List<LeaseClaim> claims;

	BulkRenewal(Set<LeaseClaim> claims) {
		this.claims = List.copyOf(claims);
	}

	LeaseRenewal run(MongoCall call) {
		BulkUpdate update = BulkUpdate.run(call, "renew %d leases".formatted(this.claims.size()), updates());
		if (update.isCertain(this.claims.size())) {
			return new LeaseRenewal(without(update.failed().stream().map(this.claims::get).toList()), Set.of());
		}
		Set<LeaseClaim> held = shown(call);
		// A holder and term that a lease has left never return, since every taking has a
		// new term. So who is still shown was there when the command ran: it was matched,
		// and renewed. Who is not shown has lost the lease for good. That holds only if
		// every statement has run, which after an error is not certain: then those still
		// shown are in doubt.
		boolean allRan = update.failed().isEmpty() && held.size() <= update.matched();
		return new LeaseRenewal(allRan ? held : Set.of(), without(held));
	}

	/**
	 * Return the claims that the stored leases show. The server compares, as it does for
	 * renewals, and answers with names and terms only: what else is there may be large.
	 */
	private Set<LeaseClaim> shown(MongoCall call) {
		Map<Candidacy, Set<String>> elections = new HashMap<>();
		this.claims.forEach((claim) -> elections.computeIfAbsent(Candidacy.of(claim), (key) -> new HashSet<>())
			.add(claim.election()));
		List<Bson> shown = elections.entrySet().stream().map((each) -> each.getKey().in(each.getValue())).toList();
		Map<String, Long> terms = new HashMap<>();
		call.run("read %d leases".formatted(this.claims.size()), "find",
				(collection) -> collection.find(Filters.or(shown))
					.projection(NAME_AND_TERM)
					.batchSize(this.claims.size() + 1)
					.into(new ArrayList<>()))
			.forEach((document) -> {
				// An array that contains the term is found by it, too.
				if (document.isNumber(LeaseDocument.TERM)) {
					terms.put(document.getString(LeaseDocument.ID).getValue(),
							document.getNumber(LeaseDocument.TERM).longValue());
				}
			});
		Set<LeaseClaim> held = new HashSet<>(this.claims);
		held.removeIf((claim) -> !Long.valueOf(claim.term()).equals(terms.get(claim.election())));
		return held;
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

	/** What claims of one process have in common, if they began together. */
	private record Candidacy(String holder, long term) {

		static Candidacy of(LeaseClaim claim) {
			return new Candidacy(claim.holder(), claim.term());
		}

		Bson in(Set<String> elections) {
			return Filters.and(Filters.in(LeaseDocument.ID, elections), Filters.eq(LeaseDocument.HOLDER, this.holder),
					Filters.eq(LeaseDocument.TERM, this.term));
		}

	}

}
