package io.github.leaderelection.mongodb;

import org.bson.BsonBinaryWriter;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonValueCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * Makes documents of fields as they come, the same one twice if need be, which no map of
 * them can hold.
 */
public final class RawDocuments {

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

	/** Return the document, of which this has been the last field. */
	public RawBsonDocument end() {
		this.writer.writeEndDocument();
		this.writer.close();
		return new RawBsonDocument(this.bytes.toByteArray());
	}

}
