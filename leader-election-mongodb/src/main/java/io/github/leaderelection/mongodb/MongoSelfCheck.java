package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Describes in one line, for people, where leases are kept and what follows from that.
 * Sends only {@code hello} and {@code buildInfo}, which every user may run, and leaves
 * out what the server does not answer.
 */
public final class MongoSelfCheck {

	private final MongoDatabase database;

	/**
	 * Create a self-check. Does no I/O.
	 * @param database the database that keeps the leases
	 */
	public MongoSelfCheck(MongoDatabase database) {
		this.database = database;
	}

	/**
	 * Describe where leases are kept.
	 * @param status the status of the engine
	 * @param timeout how long each of a few calls may take, positive
	 * @return one line
	 * @throws LeaseStoreException if the server does not answer
	 */
	public String describe(EngineStatus status, Duration timeout) {
		BsonDocument build = ask("buildInfo", timeout);
		long sent = System.currentTimeMillis();
		BsonDocument hello = ask("hello", timeout);
		long received = System.currentTimeMillis();
		List<String> facts = new ArrayList<>();
		facts.add("Leases are kept in database '%s' on MongoDB %s, %s".formatted(this.database.getName(),
				build.getString("version", new BsonString("(version unknown)")).getValue(), topology(hello)));
		servers(hello).ifPresent(facts::add);
		facts.add(status.delivery());
		if (hello.isDateTime("localTime")) {
			facts.add(clock(sent, hello.getDateTime("localTime").getValue(), received)
					+ " (for information, nothing depends on it)");
		}
		return String.join("; ", facts);
	}

	private static String topology(BsonDocument hello) {
		if (hello.isString("setName")) {
			int data = count(hello, "hosts") + count(hello, "passives");
			int voting = data + count(hello, "arbiters");
			return "replica set '%s': writes wait for %d of %d known members"
				.formatted(hello.getString("setName").getValue(), Math.min(voting / 2 + 1, data), voting);
		}
		if (hello.isString("msg")) {
			return "sharded cluster: writes wait for a majority of the shard";
		}
		return "standalone server: writes wait for it alone";
	}

	/** Return nothing outside of a replica set, where a server does not name itself. */
	private static Optional<String> servers(BsonDocument hello) {
		Set<String> servers = new LinkedHashSet<>();
		for (String members : List.of("hosts", "passives", "arbiters")) {
			if (hello.isArray(members)) {
				hello.getArray(members)
					.stream()
					.filter(BsonValue::isString)
					.forEach((each) -> servers.add(StoredText.printable(each.asString().getValue())));
			}
		}
		return servers.isEmpty() ? Optional.empty() : Optional.of("servers " + String.join(", ", servers));
	}

	private static int count(BsonDocument hello, String members) {
		return hello.isArray(members) ? hello.getArray(members).size() : 0;
	}

	/** Compare the clocks, in milliseconds. The server's was read in between. */
	static String clock(long sent, long server, long received) {
		long ahead = server - (sent + received) / 2;
		return "the server's clock is %s %s this one".formatted(ReadableDuration.of(Duration.ofMillis(Math.abs(ahead))),
				(ahead < 0) ? "behind" : "ahead of");
	}

	private BsonDocument ask(String command, Duration timeout) {
		try {
			return this.database.withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
				.runCommand(new BsonDocument(command, new BsonInt32(1)), BsonDocument.class);
		}
		catch (MongoCommandException ex) {
			// The server can be reached, but does not tell.
			return new BsonDocument();
		}
		catch (MongoException | IllegalStateException ex) {
			throw new LeaseStoreException("Could not query the server: " + MongoCall.reason(ex), ex);
		}
	}

}
