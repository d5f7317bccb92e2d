package io.github.leaderelection.mongodb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.bson.BsonBinary;
import org.bson.BsonBinaryWriter;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * Builds documents with fields in any order, repeated if need be, which no map can hold,
 * and with values that a server stores but no driver reads or writes.
 */
public final class RawDocuments {

	private static final byte[] MAGIC = { 0x5a, 0x11, 0x0b, 0x5a, 0x11, 0x0b, 0x5a, 0x11, 0x0b };

	private static final byte OLD_BINARY = 2;

	/**
	 * Becomes a binary of subtype 2 of 13 bytes whose inner length is wrong. Drivers
	 * refuse to decode it.
	 */
	public static final BsonValue UNDECODABLE = new BsonBinary((byte) 0x80, ByteBuffer.allocate(13).put(MAGIC).array());

	/** Becomes a string that is not UTF-8. */
	public static final BsonValue NOT_UTF_8 = new BsonString("\u0001\u0002\u0003not UTF-8\u0003\u0002\u0001");

	private static final byte[] TEXT = NOT_UTF_8.asString().getValue().getBytes(StandardCharsets.UTF_8);

	private static final BsonValueCodec CODEC = new BsonValueCodec();

	private final BasicOutputBuffer bytes = new BasicOutputBuffer();

	private final BsonBinaryWriter writer = new BsonBinaryWriter(this.bytes);

	public RawDocuments() {
		this.writer.writeStartDocument();
	}

	/** Add a field. */
	public RawDocuments with(String name, BsonValue value) {
		this.writer.writeName(name);
		CODEC.encode(this.writer, value, EncoderContext.builder().build());
		return this;
	}

	/** Return the document with the fields added so far. */
	public RawBsonDocument end() {
		this.writer.writeEndDocument();
		this.writer.close();
		return new RawBsonDocument(spoilt(this.bytes.toByteArray()));
	}

	/** Replace the values above with bytes that no writer would write. */
	private static byte[] spoilt(byte[] document) {
		for (int i = 1; i < document.length; i++) {
			if (isAt(i, MAGIC, document)) {
				document[i - 1] = OLD_BINARY;
			}
			else if (isAt(i, TEXT, document)) {
				document[i] = (byte) 0xff;
			}
		}
		return document;
	}

	private static boolean isAt(int index, byte[] part, byte[] whole) {
		return index + part.length <= whole.length
				&& Arrays.equals(whole, index, index + part.length, part, 0, part.length);
	}

}
