package io.github.leaderelection.mongodb;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.bson.BsonBinaryReader;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A document as it is stored, by whomever. A server takes one in which a field occurs
 * twice, and finds and changes the first of them, while those who read it may see the
 * last: it is for the reader to notice.
 *
 * @param id the id, {@code null} if it is no string
 * @param document the document, {@code null} if it is too large to be read
 * @param bytes its size
 */
record StoredDocument(@Nullable String id, @Nullable RawBsonDocument document, long bytes) {

	/**
	 * Make one of what the server has answered to a {@link SizeLimit}.
	 */
	static StoredDocument limited(RawBsonDocument answer) {
		BsonValue stored = answer.get(SizeLimit.STORED);
		String id = text(answer.get(LeaseDocument.ID));
		if (stored instanceof RawBsonDocument document) {
			return new StoredDocument(id, document, size(document));
		}
		return new StoredDocument(id, null, (stored != null && stored.isNumber()) ? stored.asNumber().longValue() : 0);
	}

	/**
	 * Make one of a document that has come whole.
	 */
	static StoredDocument whole(RawBsonDocument document, SizeLimit limit) {
		int size = size(document);
		return new StoredDocument(text(document.get(LeaseDocument.ID)), (size <= limit.bytes()) ? document : null,
				size);
	}

	/**
	 * Return the document.
	 * @throws DamagedDocumentException if it is too large to be read
	 */
	RawBsonDocument within(SizeLimit limit) throws DamagedDocumentException {
		if (this.document == null) {
			throw new DamagedDocumentException(
					"the document must be of %d bytes at most but is of %d".formatted(limit.bytes(), this.bytes));
		}
		return this.document;
	}

	private static int size(RawBsonDocument document) {
		return document.getByteBuffer().remaining();
	}

	static @Nullable String text(@Nullable BsonValue value) {
		return (value != null && value.isString()) ? value.asString().getValue() : null;
	}

	/**
	 * Return those of the fields that occur more than once.
	 */
	static List<String> repeated(RawBsonDocument document, Collection<String> fields) {
		List<String> once = new ArrayList<>(fields);
		List<String> repeated = new ArrayList<>();
		// Its own reader is one of a map, in which each field is there once.
		try (BsonReader reader = new BsonBinaryReader(document.getByteBuffer().asNIO())) {
			reader.readStartDocument();
			while (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
				String name = reader.readName();
				reader.skipValue();
				if (!once.remove(name) && fields.contains(name) && !repeated.contains(name)) {
					repeated.add(name);
				}
			}
			reader.readEndDocument();
		}
		return repeated;
	}

}
