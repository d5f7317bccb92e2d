package io.github.leaderelection.benchmarks;

import java.util.concurrent.atomic.LongAdder;

import com.mongodb.MongoClientSettings;
import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;

/**
 * Counts the commands of clients. Those by which drivers watch servers are not among
 * them.
 */
final class CountedCommands implements CommandListener {

	private final LongAdder count = new LongAdder();

	/**
	 * Create a client whose commands are counted.
	 */
	MongoClient client(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.addCommandListener(this)
			.build());
	}

	long count() {
		return this.count.sum();
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		this.count.increment();
	}

}
