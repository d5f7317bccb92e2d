package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import org.bson.Document;

/**
 * Writes again and again to MongoDB, as nobody's faults but its own can prevent, and
 * writes down when a majority acknowledged it: at the end of each write, with the time at
 * which it was sent.
 */
final class MajorityProbe implements AutoCloseable {

	static final String ANSWERED = "answered";

	private static final String SILENT = "silent";

	private static final Document SELF = new Document("_id", "majority");

	private static final long INTERVAL_MILLIS = 100;

	/** Longer than this a candidate does not wait either. */
	private static final long TIMEOUT_MILLIS = 1_000;

	private final CountDownLatch stop = new CountDownLatch(1);

	private final HistoryWriter history;

	private final MongoClient client;

	private final Thread thread = new Thread(this::run, "majority-probe");

	MajorityProbe(String uri, Path file) {
		this.history = new HistoryWriter(file);
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.writeConcern(WriteConcern.MAJORITY)
			.retryWrites(false)
			.timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
			.build());
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		MongoCollection<Document> probes = this.client.getDatabase(Cluster.DATABASE).getCollection("probes");
		try {
			while (!this.stop.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
				long sent = System.nanoTime();
				this.history.write(isAnswered(probes) ? ANSWERED : SILENT, sent);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isAnswered(MongoCollection<Document> probes) {
		try {
			probes.updateOne(SELF, new Document("$inc", new Document("number", 1)), new UpdateOptions().upsert(true));
			return true;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.stop.countDown();
		try {
			this.thread.join(TimeUnit.SECONDS.toMillis(10));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.client.close();
	}

}
