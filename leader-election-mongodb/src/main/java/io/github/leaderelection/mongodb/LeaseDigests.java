package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.BsonField;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Session;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * Finds out that leases are as they were without reading them: the server adds up what is
 * stored of them, for each session under which some are held, and the sums are compared
 * with those of what is known. A lease that was released, taken, removed, edited or
 * restored changes the sums of the session that it named, unless several changes outweigh
 * each other in each of the sums, the dates among them. Only the names of leases are
 * sent, and the answer does not grow with their number.
 */
final class LeaseDigests {

	/** As many are read as they are. */
	static final int FEW = 16;

	private static final String LEASES = "leases";

	/** Those that something is asked of, or that are too large: such leases are read. */
	private static final String MARKED = "marked";

	/** Numbers of sessions can't be added up: they are as great as can be. */
	private static final BsonDocument SESSION = new BsonDocument(LeaseDocument.HOLDER,
			new BsonString("$" + LeaseDocument.HOLDER))
		.append(LeaseDocument.SESSION, new BsonString("$" + LeaseDocument.SESSION));

	private static final List<BsonField> SUMS = List.of(Accumulators.sum(LEASES, new BsonInt64(1)),
			sum(LeaseDocument.TERM), sum(LeaseDocument.REVISION), sum(LeaseDocument.TTL_MILLIS),
			Accumulators.sum(LeaseDocument.ELECTED_AT, millis()), Accumulators.sum(MARKED, marked()));

	private static final List<String> FIELDS = Stream
		.concat(Stream.of(LeaseDocument.ID), SUMS.stream().map(BsonField::getName))
		.toList();

	private final Fallback fallback = new Fallback("The server does not add up what is stored of leases");

	/**
	 * Return those of the leases that are stored as they are known.
	 * @param elections the elections that matter
	 * @param known all that is known of what the holders of their leases hold
	 * @throws LeaseStoreException if it could not be found out
	 */
	Map<String, Lease> unchanged(MongoCall call, Collection<String> elections, Collection<Lease> known) {
		if (elections.size() <= FEW) {
			return Map.of();
		}
		Set<String> asked = Set.copyOf(elections);
		Map<String, List<Lease>> held = known.stream()
			.filter((lease) -> !lease.isVacant())
			.collect(Collectors.groupingBy((lease) -> String.valueOf(lease.sessionId())));
		held.values().removeIf((leases) -> leases.stream().noneMatch((lease) -> asked.contains(lease.election())));
		if (held.values().stream().mapToInt(List::size).sum() <= FEW) {
			return Map.of();
		}
		Map<String, List<Long>> stored = this.fallback.ask(() -> stored(call, held), Map::of);
		Map<String, Lease> unchanged = new HashMap<>();
		held.forEach((session, leases) -> {
			if (sums(leases).equals(stored.get(session))) {
				leases.stream()
					.filter((lease) -> asked.contains(lease.election()) && !isMarked(lease))
					.forEach((lease) -> unchanged.put(lease.election(), lease));
			}
		});
		return unchanged;
	}

	/** That it is no longer asked for anything is another lease of the same revision. */
	private static boolean isMarked(Lease lease) {
		return lease.paused() || lease.request() != null;
	}

	private static Map<String, List<Long>> stored(MongoCall call, Map<String, List<Lease>> held) {
		List<String> elections = held.values().stream().flatMap(List::stream).map(Lease::election).toList();
		List<Bson> stages = List.of(Aggregates.match(Filters.in(LeaseDocument.ID, elections)),
				Aggregates.group(SESSION, SUMS));
		return call
			.run("add up %d leases".formatted(elections.size()), "find",
					(collection) -> collection.aggregate(stages, RawBsonDocument.class)
						.batchSize(elections.size() + 1)
						.map(LeaseDigests::sums)
						.into(new ArrayList<>()))
			.stream()
			.flatMap(Optional::stream)
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	/** Return the sums of a session, nothing if somebody has written something else. */
	private static Optional<Map.Entry<String, List<Long>>> sums(RawBsonDocument stored) {
		try {
			return Optional.of(StoredDocument.whole(stored, LeaseDocument.LIMIT)
				.read(LeaseDocument.LIMIT, FIELDS,
						(digest) -> Map.entry(session(digest.getDocument(LeaseDocument.ID)), sums(digest))));
		}
		catch (DamagedDocumentException ex) {
			return Optional.empty();
		}
	}

	private static String session(BsonDocument named) throws DamagedDocumentException {
		return Session.id(StoredFields.text(named, LeaseDocument.HOLDER),
				StoredFields.number(named, LeaseDocument.SESSION, 1, Session.MAX_NUMBER));
	}

	/** Return the sums in their order; what is no whole number is negative. */
	private static List<Long> sums(BsonDocument digest) {
		return SUMS.stream().map(BsonField::getName).map(digest::get).map(LeaseDigests::whole).toList();
	}

	private static Long whole(BsonValue sum) {
		return (sum.isInt32() || sum.isInt64()) ? sum.asNumber().longValue() : -1;
	}

	/** Return the sums of leases that are as these are, and of which none is marked. */
	private static List<Long> sums(Collection<Lease> leases) {
		return List.of((long) leases.size(), sum(leases, Lease::term), sum(leases, Lease::revision),
				sum(leases, (lease) -> lease.ttl().toMillis()), sum(leases, LeaseDigests::millis), 0L);
	}

	private static long sum(Collection<Lease> leases, ToLongFunction<Lease> number) {
		return leases.stream().mapToLong(number).sum();
	}

	private static long millis(Lease lease) {
		return (lease.electedAt() != null) ? lease.electedAt().toEpochMilli() : 0;
	}

	private static BsonField sum(String field) {
		return Accumulators.sum(field, "$" + field);
	}

	/** The date in milliseconds. */
	private static BsonDocument millis() {
		BsonDocument date = new BsonDocument("input", new BsonString("$" + LeaseDocument.ELECTED_AT))
			.append("to", new BsonString("long"))
			.append("onError", new BsonInt64(0))
			.append("onNull", new BsonInt64(0));
		return new BsonDocument("$convert", date);
	}

	private static BsonDocument marked() {
		BsonDocument asked = operator("$eq", new BsonDocument("$type", new BsonString("$" + LeaseDocument.REQUEST)),
				new BsonString("object"));
		BsonDocument paused = operator("$eq", new BsonString("$" + LeaseDocument.PAUSED), BsonBoolean.TRUE);
		BsonDocument size = new BsonDocument("$bsonSize", new BsonString("$$ROOT"));
		BsonDocument large = operator("$gt", size, new BsonInt32(LeaseDocument.LIMIT.bytes()));
		return operator("$cond", operator("$or", asked, paused, large), new BsonInt64(1), new BsonInt64(0));
	}

	private static BsonDocument operator(String name, BsonValue... operands) {
		return new BsonDocument(name, new BsonArray(List.of(operands)));
	}

}
