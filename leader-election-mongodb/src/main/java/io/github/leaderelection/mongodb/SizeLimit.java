package io.github.leaderelection.mongodb;

import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Lets the server withhold documents that are too large to be records. Anyone can have
 * written them, each with up to 16 megabytes. They must not cost this process heap or
 * time.
 */
final class SizeLimit {

	/** The field with the document as it was stored, or with its id and size. */
	static final String STORED = "stored";

	private static final String SIZE = "$$size";

	private SizeLimit() {
	}

	/** Return an expression for the document, or for its id and size if too large. */
	static BsonDocument documentOrSize() {
		return expression("$$ROOT", new BsonArray(
				List.of(new BsonDocument(RecordDocument.ID, new BsonString("$_id")), new BsonString(SIZE))));
	}

	/**
	 * Return an expression for a document, or for nothing if it is too large.
	 * @param document its path; it may be missing
	 */
	static BsonDocument documentOrNothing(String document) {
		return expression(document, new BsonString("$$REMOVE"));
	}

	/** Return an expression that never fails, whatever is stored. */
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
