package io.github.leaderelection.benchmarks;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.mongodb.MongoRecordStores;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.bson.BsonDocument;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Counts the commands or statements of clients, without those by which drivers monitor
 * servers or pools their connections.
 */
final class CountedCommands implements CommandListener {

	/** The size that the page on relational databases recommends. */
	private static final int POOL = 3;

	private final Map<String, LongAdder> byName = new ConcurrentHashMap<>();

	private final Map<Integer, Integer> statements = new ConcurrentHashMap<>();

	private final LongAdder misses = new LongAdder();

	/**
	 * Create a client whose commands or statements are counted.
	 * @param uri the URI of MongoDB or PostgreSQL
	 * @param database the name of the database
	 */
	DatabaseClient open(String uri, String database) {
		if (Databases.isRelational(uri)) {
			HikariDataSource pool = pool(uri, database);
			return new DatabaseClient(new JdbcRecordStores(pool), Databases.shedLock(pool), pool::close);
		}
		MongoClient client = client(uri);
		MongoDatabase mongo = client.getDatabase(database);
		return new DatabaseClient(new MongoRecordStores(mongo),
				new MongoLockProvider(mongo.withWriteConcern(WriteConcern.MAJORITY)), client::close);
	}

	/**
	 * Create a pool of connections to PostgreSQL whose statements are counted.
	 */
	HikariDataSource pool(String uri, String database) {
		HikariConfig config = new HikariConfig();
		config.setDataSource(
				new CountedStatements(new DriverManagerDataSource(Databases.url(uri, database)), this::count));
		config.setMaximumPoolSize(POOL);
		return new HikariDataSource(config);
	}

	/**
	 * Create a client of MongoDB whose commands are counted.
	 */
	MongoClient client(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.addCommandListener(this)
			.build());
	}

	private void count(String name) {
		this.byName.computeIfAbsent(name, (each) -> new LongAdder()).increment();
	}

	Commands count() {
		Map<String, Long> count = new TreeMap<>();
		this.byName.forEach((name, number) -> count.put(name, number.sum()));
		return new Commands(count);
	}

	/**
	 * Return how many changes matched nothing: each statement of an {@code update}, and
	 * each {@code findAndModify}.
	 */
	long misses() {
		return this.misses.sum();
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		count(event.getCommandName());
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
