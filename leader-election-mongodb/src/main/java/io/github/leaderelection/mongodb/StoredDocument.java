package io.github.leaderelection.mongodb;

import java.nio.ByteBuffer;
import java.util.Collection;

import io.github.leaderelection.store.DamagedRecordException;
import org.bson.BsonArray;
import org.bson.BsonBinaryReader;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.DecoderContext;
import org.jspecify.annotations.Nullable;

/**
 * A document as it is stored, whoever wrote it. Stored documents are decoded here and
 * nowhere else: one at a time, and only the fields that are asked for. The server accepts
 * a document with a duplicate field: it matches and updates the first occurrence, while a
 * reader may see the last. It also accepts strings that are not UTF-8, and values that
 * drivers refuse to decode.
 *
 * @param id the id, {@code null} if it is not a string or can't be decoded
 * @param document the document, {@code null} if it is too large to be read
 * @param bytes its size
 */
record StoredDocument(@Nullable String id, @Nullable RawBsonDocument document, long bytes) {

	private static final BsonValueCodec CODEC = new BsonValueCodec();

	/** Stands in a decoded string for bytes that are not UTF-8. */
	private static final char REPLACEMENT = '\ufffd';

	/** Bytes before the value in a document with one unnamed field: size, type, name. */
	private static final int BEFORE_VALUE = 6;

	/**
	 * Create an instance from the server's answer to a {@link SizeLimit} expression.
	 */
	static StoredDocument limited(RawBsonDocument answer) {
		BsonValue stored = answer.get(SizeLimit.STORED);
		if (stored instanceof RawBsonDocument document) {
			return whole(document);
		}
		return (stored instanceof BsonArray parts && parts.size() == 2 && parts.get(0) instanceof RawBsonDocument id
				&& parts.get(1).isNumber()) ? new StoredDocument(idOf(id), null, parts.get(1).asNumber().longValue())
						: new StoredDocument(null, null, 0);
	}

	/**
	 * Create an instance from a complete document: the server withholds large ones.
	 */
	static StoredDocument whole(RawBsonDocument document) {
		return new StoredDocument(idOf(document), document, document.getByteBuffer().remaining());
	}

	private static @Nullable String idOf(RawBsonDocument document) {
		try {
			BsonValue id = document.get(RecordDocument.ID);
			return (id != null && id.isString()) ? id.asString().getValue() : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Read the document. Whatever fails counts as damage of this document, unless this
	 * process runs out of memory.
	 * @param fields the fields to read, each of which must occur at most once
	 * @param reader converts the fields that are present
	 * @throws DamagedRecordException if the document can't be understood
	 */
	<T extends @Nullable Object> T read(Collection<String> fields, Reader<T> reader) throws DamagedRecordException {
		if (this.document == null) {
			throw new DamagedRecordException("the document must have at most %d bytes but has %d"
				.formatted(RecordDocument.MAX_BYTES, this.bytes));
		}
		try {
			return reader.read(decoded(this.document, fields));
		}
		catch (Throwable ex) {
			throw damage("it can't be understood", ex);
		}
	}

	private static BsonDocument decoded(RawBsonDocument document, Collection<String> fields)
			throws DamagedRecordException {
		ByteBuffer bytes = document.getByteBuffer().asNIO();
		BsonDocument decoded = new BsonDocument();
		// The document's own reader would show a duplicate field only once.
		try (BsonBinaryReader reader = new BsonBinaryReader(bytes)) {
			reader.readStartDocument();
			while (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
				String field = reader.readName();
				if (!fields.contains(field)) {
					reader.skipValue();
				}
				else if (decoded.put(field, value(field, reader, bytes)) != null) {
					throw new DamagedRecordException("'%s' must occur once but occurs again".formatted(field));
				}
			}
			reader.readEndDocument();
		}
		return decoded;
	}

	private static BsonValue value(String field, BsonBinaryReader reader, ByteBuffer bytes)
			throws DamagedRecordException {
		try {
			int begin = reader.getBsonInput().getPosition();
			BsonValue value = CODEC.decode(reader, DecoderContext.builder().build());
			ByteBuffer stored = bytes.duplicate().limit(reader.getBsonInput().getPosition()).position(begin);
			if (!isAsStored(value, stored)) {
				throw new DamagedRecordException(
						"'%s' must be valid UTF-8 without duplicate fields but is not".formatted(field));
			}
			return value;
		}
		catch (Throwable ex) {
			throw damage("'%s' can't be decoded".formatted(field), ex);
		}
	}

	/** Return whether the value encodes to the stored bytes, which others compare. */
	private static boolean isAsStored(BsonValue value, ByteBuffer stored) {
		boolean clear = value.isString() ? value.asString().getValue().indexOf(REPLACEMENT) < 0
				: !value.isDocument() && !value.isArray();
		if (clear) {
			return true;
		}
		ByteBuffer again = new RawBsonDocument(new BsonDocument("", value), new BsonDocumentCodec()).getByteBuffer()
			.asNIO();
		return stored.equals(again.limit(again.limit() - 1).position(again.position() + BEFORE_VALUE));
	}

	private static DamagedRecordException damage(String what, Throwable cause) {
		if (cause instanceof DamagedRecordException damage) {
			return damage;
		}
		if (cause instanceof OutOfMemoryError error) {
			// The document is not to blame: this process has too little memory.
			throw error;
		}
		return new DamagedRecordException("%s (%s)".formatted(what, cause.getClass().getSimpleName()));
	}

	/**
	 * Converts a document.
	 */
	@FunctionalInterface
	interface Reader<T extends @Nullable Object> {

		T read(BsonDocument document) throws DamagedRecordException;

	}

}
