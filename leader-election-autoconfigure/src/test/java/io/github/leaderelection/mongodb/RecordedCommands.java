package io.github.leaderelection.mongodb;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonDocument;

/**
 * The commands that a client has sent, as they went over the wire.
 */
class RecordedCommands implements CommandListener {

	private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.commands.add(event.getCommand().clone());
	}

	void clear() {
		this.commands.clear();
	}

	/** The names of all commands except those that open and close connections. */
	List<String> names() {
		return all().stream().map(BsonDocument::getFirstKey).toList();
	}

	List<BsonDocument> all() {
		Set<String> housekeeping = Set.of("hello", "endSessions", "killCursors", "ping");
		return this.commands.stream().filter((command) -> !housekeeping.contains(command.getFirstKey())).toList();
	}

}
