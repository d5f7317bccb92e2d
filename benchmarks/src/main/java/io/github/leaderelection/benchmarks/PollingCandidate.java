package io.github.leaderelection.benchmarks;

import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.mongodb.ReadConcern;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A candidate that polls the database as Kubernetes' client-go polls its API, with a loop
 * for each election: the leader writes once in a retry period, and a follower reads after
 * 1 to 2.2 of them.
 */
final class PollingCandidate implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(PollingCandidate.class);

	private static final long RETRY_PERIOD_MICROS = 2_000_000;

	private static final double JITTER_FACTOR = 1.2;

	private static final int THREADS = 10;

	private final MongoClient client;

	private final MongoCollection<Document> leases;

	private final ScheduledExecutorService scheduler;

	private final boolean leader;

	private final Random random;

	PollingCandidate(MongoClient client, String database, int elections, boolean leader, Random random) {
		this.client = client;
		this.leases = client.getDatabase(database)
			.getCollection("leases")
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY);
		this.leader = leader;
		this.random = random;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("polling-");
		threads.setDaemon(true);
		this.scheduler = Executors.newScheduledThreadPool(THREADS, threads);
		IntStream.range(0, elections)
			.mapToObj("election-%d"::formatted)
			.forEach((election) -> schedule(election, random.nextLong(RETRY_PERIOD_MICROS)));
	}

	private void schedule(String election, long micros) {
		Future<?> unused = this.scheduler.schedule(() -> {
			try {
				poll(election);
			}
			catch (RuntimeException ex) {
				logger.warn("{} has failed", election, ex);
			}
			double jitter = this.leader ? 0 : JITTER_FACTOR * this.random.nextDouble();
			schedule(election, (long) (RETRY_PERIOD_MICROS * (1 + jitter)));
		}, micros, TimeUnit.MICROSECONDS);
	}

	private void poll(String election) {
		if (this.leader) {
			this.leases.updateOne(Filters.eq(election), Updates.inc("revision", 1L), new UpdateOptions().upsert(true));
		}
		else {
			this.leases.find(Filters.eq(election)).first();
		}
	}

	@Override
	public void close() {
		this.scheduler.shutdownNow();
		try {
			if (!this.scheduler.awaitTermination(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Polling did not end in time");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.client.close();
		}
	}

}
