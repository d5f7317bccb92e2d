package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * How large the largest reply of a server was, and what it was asked.
 */
final class ReplySizes implements CommandListener {

	private final AtomicInteger largest = new AtomicInteger();

	private final List<String> names = new CopyOnWriteArrayList<>();

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.names.add(event.getCommandName());
	}

	@Override
	public void commandSucceeded(CommandSucceededEvent event) {
		int size = new RawBsonDocument(event.getResponse(), new BsonDocumentCodec()).getByteBuffer().remaining();
		this.largest.accumulateAndGet(size, Math::max);
	}

	int largest() {
		return this.largest.get();
	}

	long count(String name) {
		return this.names.stream().filter(name::equals).count();
	}

}
