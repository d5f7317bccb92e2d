package io.github.leaderelection.benchmarks;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import org.bson.BsonDocument;

/**
 * Counts the commands of clients. Those by which drivers watch servers are not among
 * them.
 */
final class CountedCommands implements CommandListener {

	private final Map<String, LongAdder> byName = new ConcurrentHashMap<>();

	private final Map<Integer, Integer> statements = new ConcurrentHashMap<>();

	private final LongAdder misses = new LongAdder();

	/**
	 * Create a client whose commands are counted.
	 */
	MongoClient client(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.addCommandListener(this)
			.build());
	}

	Commands count() {
		Map<String, Long> count = new TreeMap<>();
		this.byName.forEach((name, number) -> count.put(name, number.sum()));
		return new Commands(count);
	}

	/**
	 * Return how many changes have found nothing to change: each statement of an
	 * {@code update}, and each {@code findAndModify}.
	 */
	long misses() {
		return this.misses.sum();
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.byName.computeIfAbsent(event.getCommandName(), (name) -> new LongAdder()).increment();
		if (event.getCommandName().equals("update")) {
			this.statements.put(event.getRequestId(), event.getCommand().getArray("updates").size());
		}
	}

	@Override
	public void commandSucceeded(CommandSucceededEvent event) {
		BsonDocument reply = event.getResponse();
		Integer statements = this.statements.remove(event.getRequestId());
		if (statements != null) {
			this.misses.add(statements - reply.getNumber("n").longValue());
		}
		else if (event.getCommandName().equals("findAndModify") && !reply.isDocument("value")) {
			this.misses.increment();
		}
	}

	@Override
	public void commandFailed(CommandFailedEvent event) {
		this.statements.remove(event.getRequestId());
	}

}
