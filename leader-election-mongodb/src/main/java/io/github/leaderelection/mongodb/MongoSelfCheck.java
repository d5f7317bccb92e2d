package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
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
 * Tells, in one line for people, what leases are kept on and what follows from it. Asks
 * the server {@code hello} and {@code buildInfo} only, which everybody may; what it is
 * not answered is left out.
 */
public final class MongoSelfCheck {

	private static final int CLOCK_READINGS = 3;

	private final MongoDatabase database;

	/**
	 * Create a self-check. Does no I/O.
	 * @param database where leases are kept
	 */
	public MongoSelfCheck(MongoDatabase database) {
		this.database = database;
	}

	/**
	 * Describe what leases are kept on.
	 * @param status how the engine fares
	 * @param timeout how long each of a few calls may take, positive
	 * @return one line
	 * @throws LeaseStoreException if the server does not answer
	 */
	public String describe(EngineStatus status, Duration timeout) {
		BsonDocument build = ask("buildInfo", timeout);
		ClockReading clock = readClock(timeout);
		List<String> facts = new ArrayList<>();
		facts.add("Leases are kept in database '%s' on MongoDB %s, %s".formatted(this.database.getName(),
				build.getString("version", new BsonString("(version not told)")).getValue(), topology(clock.hello())));
		servers(clock.hello()).ifPresent(facts::add);
		facts.add(status.delivery());
		if (clock.hello().isDateTime("localTime")) {
			facts.add(clock.describe() + " (for information, nothing depends on it)");
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

	/** A server that is no member of a set does not tell its own name. */
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

	/** The quickest of a few answers tells the time best. */
	private ClockReading readClock(Duration timeout) {
		ClockReading best = null;
		for (int i = 0; i < CLOCK_READINGS; i++) {
			long sentMillis = System.currentTimeMillis();
			long sentNanos = System.nanoTime();
			BsonDocument hello = ask("hello", timeout);
			ClockReading reading = new ClockReading(hello, sentMillis,
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sentNanos));
			if (best == null || reading.roundTripMillis() < best.roundTripMillis()) {
				best = reading;
			}
		}
		return Objects.requireNonNull(best);
	}

	private BsonDocument ask(String command, Duration timeout) {
		try {
			return this.database.withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
				.runCommand(new BsonDocument(command, new BsonInt32(1)), BsonDocument.class);
		}
		catch (MongoCommandException ex) {
			// It is there, and does not tell.
			return new BsonDocument();
		}
		catch (MongoException | IllegalStateException ex) {
			throw new LeaseStoreException("The server can't be asked: " + MongoCall.reason(ex), ex);
		}
	}

	/**
	 * What the server said its time was.
	 *
	 * @param hello its answer
	 * @param sentMillis the time here when it was asked
	 * @param roundTripMillis how long it took to answer
	 */
	record ClockReading(BsonDocument hello, long sentMillis, long roundTripMillis) {

		String describe() {
			long precision = this.roundTripMillis / 2 + 1;
			long ahead = this.hello.getDateTime("localTime").getValue() - this.sentMillis - this.roundTripMillis / 2;
			if (Math.abs(ahead) <= precision) {
				return "the server's clock and this one agree within %s".formatted(millis(precision));
			}
			return "the server's clock is %s %s this one, give or take %s".formatted(millis(Math.abs(ahead)),
					(ahead > 0) ? "ahead of" : "behind", millis(precision));
		}

		private static String millis(long millis) {
			return ReadableDuration.of(Duration.ofMillis(millis));
		}

	}

}
