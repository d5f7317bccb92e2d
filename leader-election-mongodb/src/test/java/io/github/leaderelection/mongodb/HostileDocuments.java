package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.leaderelection.store.StoredRecord;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Generates whatever a server lets anybody write in place of records: values of any type
 * in any field, repeated or missing fields in any order, numbers at their limits, texts
 * that forge lines or are not UTF-8, values that no driver decodes, and far too much of
 * all that.
 */
public final class HostileDocuments {

	private static final List<String> TEXTS = List.of("", " ", "7", "x\nERROR forged", "\u001b[2J\u001b]0;x\u0007",
			"\u202egnitirw", "\u2028\u2029", "\u0000", "null", "$where", "\ud83d\ude80", "{\"$gt\": 0}",
			"someone@host:1-0a", "\u009b31m", "\ufeff");

	private static final List<Long> NUMBERS = List.of(0L, 1L, -1L, 7L, 1000L, (long) Integer.MAX_VALUE,
			(long) Integer.MIN_VALUE, StoredRecord.MAX_REVISION - 1, StoredRecord.MAX_REVISION,
			StoredRecord.MAX_REVISION + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE);

	private static final List<Double> DOUBLES = List.of(0.0, -0.0, 1.0, 1.5, -1.0, Double.NaN, Double.POSITIVE_INFINITY,
			Double.NEGATIVE_INFINITY, 0x1p53 - 1, 0x1p53, 0x1p62, 1e300, Double.MIN_VALUE);

	private static final List<String> DECIMALS = List.of("0", "-0", "7", "NaN", "Infinity", "-Infinity", "1E6000",
			"1.5", "9223372036854775808");

	private static final List<BsonValue> OTHERS = List.of(new BsonUndefined(), new BsonObjectId(new ObjectId()),
			BsonNull.VALUE, new BsonRegularExpression("a.*", "i"), new BsonDbPointer("a.b", new ObjectId()),
			new BsonJavaScript("while (true) { }"),
			new BsonJavaScriptWithScope("x", new BsonDocument("x", new BsonInt32(1))), new BsonMinKey(),
			new BsonMaxKey(), RawDocuments.UNDECODABLE, RawDocuments.NOT_UTF_8);

	private final Random random;

	public HostileDocuments(long seed) {
		this.random = new Random(seed);
	}

	/** Return a document in place of a record, with an id of any type. */
	RawBsonDocument record(BsonValue id) {
		List<Field> fields = new ArrayList<>();
		fields.add(new Field("_id", id));
		fields.add(new Field("revision", usually(count())));
		fields.add(new Field("text", usually(new BsonString(oneOf("a", "b", text())))));
		fields.add(new Field("most", usually(count())));
		fields.add(new Field("yes", usually(BsonBoolean.valueOf(this.random.nextBoolean()))));
		fields.add(new Field("nothing", usually(BsonNull.VALUE)));
		if (this.random.nextBoolean()) {
			fields.add(new Field("date", usually(new BsonDateTime(this.random.nextLong()))));
			fields.add(new Field("changedAt", usually(new BsonDateTime(this.random.nextInt()))));
		}
		return document(fields);
	}

	/** Return an id, and rarely one that no record has. */
	BsonValue id(int number) {
		BsonValue odd = oneOf(new BsonInt32(number), new BsonDouble(number + 0.5),
				new BsonDocument("x", anything(0)).append("y", new BsonInt32(number)));
		return oneIn(10) ? odd : new BsonString("odd-" + number + (oneIn(10) ? "-" + oneOf(TEXTS) : ""));
	}

	/** Remove some fields, add some, repeat some, and shuffle them. */
	private RawBsonDocument document(List<Field> fields) {
		if (oneIn(8)) {
			fields.remove(1 + this.random.nextInt(fields.size() - 1));
		}
		if (oneIn(8)) {
			Field again = fields.get(1 + this.random.nextInt(fields.size() - 1));
			fields.add(new Field(again.name(), this.random.nextBoolean() ? again.value() : anything(0)));
		}
		if (oneIn(6)) {
			fields.add(new Field(oneOf("note", "", "a.b", "Term", "x\ny", "stored", "size", "readAt"), anything(0)));
		}
		if (oneIn(100)) {
			fields.add(new Field("junk", new BsonString("x".repeat(1 + this.random.nextInt(400_000)))));
		}
		if (oneIn(3)) {
			Collections.shuffle(fields.subList(1, fields.size()), this.random);
		}
		RawDocuments document = new RawDocuments();
		fields.forEach((field) -> document.with(field.name(), field.value()));
		return document.end();
	}

	private BsonValue usually(BsonValue value) {
		return oneIn(10) ? anything(0) : value;
	}

	private BsonValue count() {
		int number = this.random.nextInt(1000);
		return oneOf(new BsonInt64(number), new BsonInt64(number), new BsonInt32(number), new BsonDouble(number),
				new BsonInt64(oneOf(NUMBERS)));
	}

	private BsonValue anything(int depth) {
		return switch (this.random.nextInt(25)) {
			case 0 -> new BsonDouble(oneOf(DOUBLES));
			case 1 -> new BsonDouble(Double.longBitsToDouble(this.random.nextLong()));
			case 2, 3 -> new BsonString(text());
			case 4 -> nested(depth);
			case 5 -> new BsonArray(List.of(nested(depth), new BsonInt32(1)));
			case 6 -> new BsonBinary((byte) 0, new byte[this.random.nextInt(40)]);
			case 7 -> BsonBoolean.valueOf(this.random.nextBoolean());
			case 8 -> new BsonDateTime(oneOf(NUMBERS));
			case 9 -> new BsonSymbol(text());
			case 10 -> new BsonInt32(this.random.nextInt());
			case 11 -> new BsonTimestamp(this.random.nextLong());
			case 12 -> new BsonInt64(oneOf(NUMBERS));
			case 13 -> new BsonDecimal128(Decimal128.parse(oneOf(DECIMALS)));
			default -> oneOf(OTHERS);
		};
	}

	private BsonValue nested(int depth) {
		if (depth < 3) {
			return new BsonDocument(oneOf("x", "", "value"), anything(depth + 1));
		}
		BsonDocument document = new BsonDocument();
		for (int i = 0; i < this.random.nextInt(60); i++) {
			document = new BsonDocument("d", document);
		}
		return document;
	}

	private String text() {
		return oneIn(50) ? oneOf(TEXTS).repeat(this.random.nextInt(3000)) : oneOf(TEXTS);
	}

	private boolean oneIn(int number) {
		return this.random.nextInt(number) == 0;
	}

	@SafeVarargs
	private <T> T oneOf(T... values) {
		return values[this.random.nextInt(values.length)];
	}

	private <T> T oneOf(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	private record Field(String name, BsonValue value) {

	}

}
