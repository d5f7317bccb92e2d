package io.github.leaderelection.mongodb;

import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Lets the server keep back documents that are too large to be ours. Anybody can have
 * written them, each up to sixteen megabytes, and neither the heap nor the time of this
 * process is theirs.
 */
final class SizeLimit {

	/** The field of a document as it was stored, or of its id and size. */
	static final String STORED = "stored";

	private static final String SIZE = "$$size";

	private SizeLimit() {
	}

	/** Return the expression for the whole document, or else its id and size. */
	static BsonDocument documentOrSize() {
		return expression("$$ROOT", new BsonArray(
				List.of(new BsonDocument(RecordDocument.ID, new BsonString("$_id")), new BsonString(SIZE))));
	}

	/**
	 * Return the expression for a document, or else nothing.
	 * @param document its path; it may be missing
	 */
	static BsonDocument documentOrNothing(String document) {
		return expression(document, new BsonString("$$REMOVE"));
	}

	/** Never fails, whatever is stored. */
	private static BsonDocument expression(String document, BsonValue otherwise) {
		BsonDocument present = operator("$ifNull", new BsonString(document), new BsonDocument());
		BsonDocument fits = operator("$lte", new BsonString(SIZE), new BsonInt32(RecordDocument.MAX_BYTES));
		return new BsonDocument("$let",
				new BsonDocument("vars", new BsonDocument("size", new BsonDocument("$bsonSize", present))).append("in",
						operator("$cond", fits, new BsonString(document), otherwise)));
	}

	private static BsonDocument operator(String name, BsonValue... operands) {
		return new BsonDocument(name, new BsonArray(List.of(operands)));
	}

}
