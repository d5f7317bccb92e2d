package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonDocument;

/**
 * The commands that a client has sent, as they went over the wire.
 */
public class RecordedCommands implements CommandListener {

	private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

	private final Set<String> threads = ConcurrentHashMap.newKeySet();

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.commands.add(event.getCommand().clone());
		this.threads.add(Thread.currentThread().getName());
	}

	public void clear() {
		this.commands.clear();
		this.threads.clear();
	}

	/** The names of the threads that have sent a command. */
	public Set<String> threads() {
		return Set.copyOf(this.threads);
	}

	/** The names of all commands except those that open and close connections. */
	public List<String> names() {
		return all().stream().map(BsonDocument::getFirstKey).toList();
	}

	public List<BsonDocument> all() {
		Set<String> housekeeping = Set.of("hello", "endSessions", "killCursors", "ping");
		return this.commands.stream().filter((command) -> !housekeeping.contains(command.getFirstKey())).toList();
	}

}
