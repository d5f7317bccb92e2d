package io.github.leaderelection.mongodb;

import java.util.Arrays;
import java.util.Map;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/**
 * What may be found in place of a lease: leases, leases that somebody has edited, leases
 * of a version to come, and worse.
 */
public final class StoredDocuments {

	private StoredDocuments() {
	}

	/** Documents without an id. */
	public static Arbitrary<BsonDocument> any() {
		Arbitrary<BsonValue> terms = mostly(wholeNumbers(0, 1000), Arbitraries.oneOf(greatNumbers(), anything()));
		Arbitrary<BsonValue> ttls = mostly(wholeNumbers(1, 30_000), anything());
		Arbitrary<BsonValue> holders = mostly(Arbitraries.of(BsonNull.VALUE, new BsonString("someone@host:1-0a")),
				anything());
		Arbitrary<BsonValue> dates = mostly(Arbitraries.of(new BsonDateTime(0), new BsonDateTime(Long.MAX_VALUE)),
				anything());
		return Combinators.combine(holders, terms, terms, terms, ttls, dates, Arbitraries.of(Gap.values()), extras())
			.as((holder, session, term, revision, ttl, date, gap, extra) -> {
				BsonDocument document = new BsonDocument("holder", holder).append("session", session)
					.append("term", term)
					.append("revision", revision)
					.append("ttlMillis", ttl)
					.append("electedAt", date);
				document.putAll(extra);
				document.remove(gap.name());
				return document;
			});
	}

	/** The fields that a lease of this version does not have. */
	public static BsonDocument unknownFields(BsonDocument document) {
		BsonDocument unknown = document.clone();
		Arrays.asList("_id", "holder", "session", "term", "revision", "ttlMillis", "electedAt")
			.forEach(unknown::remove);
		return unknown;
	}

	private static Arbitrary<BsonValue> mostly(Arbitrary<BsonValue> usual, Arbitrary<BsonValue> odd) {
		return Arbitraries.frequencyOf(Tuple.of(6, usual), Tuple.of(1, odd));
	}

	/** As the library writes them, and as people do in a shell. */
	private static Arbitrary<BsonValue> wholeNumbers(int least, int most) {
		return Arbitraries.integers()
			.between(least, most)
			.flatMap((number) -> Arbitraries.<BsonValue>of(new BsonInt64(number), new BsonInt32(number),
					new BsonDouble(number)));
	}

	/** Where counting by one comes to an end, for one type or another. */
	private static Arbitrary<BsonValue> greatNumbers() {
		return Arbitraries.of(new BsonInt32(Integer.MAX_VALUE), new BsonDouble(0x1p53 - 1), new BsonDouble(0x1p53),
				new BsonDouble(0x1p60), new BsonInt64(1L << 53), new BsonInt64(Long.MAX_VALUE - 1),
				new BsonInt64(Long.MAX_VALUE));
	}

	private static Arbitrary<BsonValue> anything() {
		Arbitrary<BsonValue> longs = Arbitraries
			.oneOf(Arbitraries.longs(), Arbitraries.of(0L, -1L, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE))
			.map(BsonInt64::new);
		Arbitrary<BsonValue> doubles = Arbitraries
			.oneOf(Arbitraries.doubles(),
					Arbitraries.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 1.5, 0x1p63,
							-0x1p63, 1e300))
			.map(BsonDouble::new);
		Arbitrary<BsonValue> others = Arbitraries.of(BsonNull.VALUE, new BsonUndefined(), BsonBoolean.TRUE,
				new BsonString(""), new BsonString("7"), new BsonString("nul\0"), new BsonArray(), new BsonDocument(),
				new BsonDocument("$gt", new BsonInt32(0)), new BsonDateTime(7),
				new BsonDecimal128(Decimal128.parse("7")), new BsonDecimal128(Decimal128.NaN),
				new BsonDecimal128(Decimal128.parse("1E6000")), new BsonInt32(Integer.MAX_VALUE),
				new BsonInt32(Integer.MIN_VALUE));
		return Arbitraries.oneOf(longs, doubles, others);
	}

	private static Arbitrary<Map<String, BsonValue>> extras() {
		Arbitrary<String> names = Arbitraries.of("protocol", "observers", "note", "Holder", "ttl", "renewedAt");
		return Arbitraries.maps(names, anything().map((value) -> (BsonValue) new BsonDocument("value", value)))
			.ofMaxSize(2);
	}

	/** Return whether a number is so great that it can't be raised a few times more. */
	public static boolean isExtreme(long number) {
		return number == (1L << 53) - 1 || number > Long.MAX_VALUE - 1000;
	}

	/** Which field is missing, if any: most documents have all. */
	private enum Gap {

		none, nothing, nil, holder, session, term, revision, ttlMillis, electedAt

	}

}
