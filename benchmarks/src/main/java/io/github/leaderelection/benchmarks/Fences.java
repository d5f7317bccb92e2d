package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.mongodb.TermFence;
import org.bson.Document;

/**
 * Measures what a fence adds to a transaction.
 */
final class Fences {

	private static final String ELECTION = "fenced";

	private static final int TRANSACTIONS = 3000;

	/** Transactions of each kind that are not counted. */
	private static final int WARM_UP = 300;

	private final MongoClient client;

	private final MongoCollection<Document> accounts;

	private final TermFence fence;

	private Fences(MongoClient client, String database) {
		this.client = client;
		this.accounts = client.getDatabase(database).getCollection("accounts");
		this.fence = new TermFence(client.getDatabase(database));
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		String database = "fences-" + UUID.randomUUID();
		try (MongoClient client = MongoClients.create(mongo.uri());
				Member leader = new Member(new CountedCommands().open(mongo.uri(), database),
						ElectionSettings.of(Duration.ofSeconds(20)), List.of(ELECTION))) {
			Fleet.await(() -> leader.engine().isLeader(ELECTION));
			Fences fences = new Fences(client, database);
			fences.compare(leader.engine().leadership(ELECTION).orElseThrow(), report);
		}
		finally {
			Databases.drop(mongo.uri(), database);
		}
	}

	private void compare(Leadership leadership, Report report) {
		this.accounts.insertOne(new Document("_id", "a").append("balance", 0));
		List<Double> unfenced = new ArrayList<>();
		List<Double> fenced = new ArrayList<>();
		int warmUp = Rounds.of(WARM_UP);
		int rounds = warmUp + Rounds.of(TRANSACTIONS);
		for (int i = 0; i < rounds; i++) {
			// In turns, and each goes first in turn
			boolean fencedFirst = i % 2 == 0;
			double first = millis(leadership, fencedFirst);
			double second = millis(leadership, !fencedFirst);
			if (i >= warmUp) {
				fenced.add(fencedFirst ? first : second);
				unfenced.add(fencedFirst ? second : first);
			}
		}
		requireAll(2 * rounds);
		Samples with = new Samples(fenced);
		Samples without = new Samples(unfenced);
		report.title("Fenced transactions");
		report.paragraph(
				"""
						Milliseconds for a transaction that reads a document and updates it, without a fence, and with one, which is passed right before the commit.
						The two take turns, on one thread.
						""");
		report.table(Stream.concat(Stream.of("milliseconds"), Samples.TITLES.stream()).toList());
		report.row(row("transaction", without));
		report.row(row("fenced transaction", with));
		report.paragraph("So a fence adds %s ms to the median and %s ms to the p99.".formatted(
				Samples.format(with.median() - without.median()),
				Samples.format(with.percentile(99) - without.percentile(99))));
	}

	private static List<String> row(String what, Samples samples) {
		List<String> row = new ArrayList<>(List.of(what));
		row.addAll(samples.columns());
		return row;
	}

	private double millis(Leadership leadership, boolean fenced) {
		long begun = System.nanoTime();
		try (ClientSession session = this.client.startSession()) {
			session.withTransaction(() -> {
				this.accounts.find(session, Filters.eq("a")).first();
				this.accounts.updateOne(session, Filters.eq("a"), Updates.inc("balance", 1));
				if (fenced) {
					this.fence.pass(session, leadership);
				}
				return true;
			});
		}
		return (System.nanoTime() - begun) / (double) TimeUnit.MILLISECONDS.toNanos(1);
	}

	private void requireAll(int transactions) {
		Document account = Objects.requireNonNull(this.accounts.find(Filters.eq("a")).first());
		if (account.getInteger("balance") != transactions) {
			throw new IllegalStateException("Not all transactions have been committed: " + account);
		}
	}

}
