package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * The commands that a client has sent, as they went over the wire.
 */
public class RecordedCommands implements CommandListener {

	private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

	private final Set<String> threads = ConcurrentHashMap.newKeySet();

	private final AtomicInteger largestReply = new AtomicInteger();

	/** Return a client whose commands are recorded. */
	public MongoClient connect(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.addCommandListener(this)
			.build());
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.commands.add(event.getCommand().clone());
		this.threads.add(Thread.currentThread().getName());
	}

	@Override
	public void commandSucceeded(CommandSucceededEvent event) {
		int size = new RawBsonDocument(event.getResponse(), new BsonDocumentCodec()).getByteBuffer().remaining();
		this.largestReply.accumulateAndGet(size, Math::max);
	}

	/** Return the number of bytes of the largest reply. */
	int largestReply() {
		return this.largestReply.get();
	}

	/** Return how often a command was sent for a collection. */
	long count(String command, String collection) {
		return this.commands.stream().filter((each) -> new BsonString(collection).equals(each.get(command))).count();
	}

	public void clear() {
		this.commands.clear();
		this.threads.clear();
	}

	/** Return the names of the threads that have sent a command. */
	public Set<String> threads() {
		return Set.copyOf(this.threads);
	}

	/** Return the names of all commands except those that open and close connections. */
	public List<String> names() {
		return all().stream().map(BsonDocument::getFirstKey).toList();
	}

	public List<BsonDocument> all() {
		Set<String> housekeeping = Set.of("hello", "endSessions", "killCursors", "ping");
		return this.commands.stream().filter((command) -> !housekeeping.contains(command.getFirstKey())).toList();
	}

}
