package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thousands of documents that nobody should have written, on a real MongoDB: whatever is
 * stored in place of the records of jobs is obeyed as a record, or reported; the jobs
 * beside it go on; and whatever is told of it is fit for one line.
 * <p>
 * {@code -Dfuzz.documents} sets how many, {@code -Dfuzz.seed} repeats a run: each failure
 * names the seed of its round.
 */
class HostileRunsFuzzTests {

	private static final int DOCUMENTS = Integer.getInteger("fuzz.documents", 10_000);

	private static final long SEED = Long.getLong("fuzz.seed", new Random().nextInt());

	private static final int PER_ROUND = 250;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final JobKey SOUND = new JobKey("billing", "sound");

	private static final String TIMETABLE = "cron 0 * * * * *";

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<RawBsonDocument> runs = this.database.getCollection(MongoRunStore.COLLECTION,
			RawBsonDocument.class);

	private final MongoRunStore store = new MongoRunStore(this.database);

	@AfterEach
	void close() {
		this.database.drop();
		this.client.close();
	}

	@Test
	void whateverIsInPlaceOfRecordsIsObeyedOrReported() {
		for (int done = 0; done < DOCUMENTS; done += PER_ROUND) {
			round(SEED + done);
		}
	}

	private void round(long seed) {
		Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
		HostileDocuments documents = new HostileDocuments(seed);
		this.runs.deleteMany(Filters.empty());
		List<JobKey> odd = new ArrayList<>();
		List<RawBsonDocument> stored = new ArrayList<>();
		for (int i = 0; i < PER_ROUND; i++) {
			odd.add(new JobKey("billing", "odd-" + i));
			stored.add(documents.runs(odd.get(i).id(), now.toEpochMilli()));
		}
		this.runs.insertMany(stored);
		RunReading before = this.store.find(odd, TIMEOUT);
		assertThat(before.records().size() + before.damaged().size()).as("seed=%d", seed).isEqualTo(PER_ROUND);
		assertThat(before.records()).as("seed=%d", seed).isNotEmpty();
		assertThat(before.damaged()).as("seed=%d", seed).isNotEmpty();
		before.records().values().forEach((record) -> assertOneLine(record.toString(), seed));
		before.records().values().forEach((record) -> assertOneLine(String.valueOf(record.last()), seed));
		before.damaged().values().forEach((damage) -> assertOneLine(damage, seed));
		List<RunOpening> openings = new ArrayList<>();
		odd.forEach((job) -> openings.add(new RunOpening(job, 500, TIMETABLE, now)));
		openings.add(new RunOpening(SOUND, 500, TIMETABLE, now));
		RunReading opened = this.store.open(openings, TIMEOUT);
		assertThat(opened.records()).as("seed=%d", seed).containsKey(SOUND);
		opened.damaged().values().forEach((damage) -> assertOneLine(damage, seed));
		for (JobKey job : odd) {
			RunRecord found = before.records().get(job);
			RunRecord record = opened.records().get(job);
			if (found != null) {
				assertThat(record != null).as("seed=%d %s", seed, found).isEqualTo(found.fence() <= 500);
			}
			if (record != null) {
				obey(record, seed);
			}
			else {
				refuse(job, now, seed);
			}
		}
	}

	/** Run through the life of a run. */
	private void obey(RunRecord record, long seed) {
		JobKey job = record.key();
		assertThat(record.fence()).as("seed=%d %s", seed, job).isEqualTo(500);
		assertThat(record.timetable()).as("seed=%d %s", seed, job).isEqualTo(TIMETABLE);
		String last = (record.last() != null) ? record.last().id() : null;
		Instant next = record.covered().plusMillis(1);
		assertThat(this.store.start(start(job, record.covered(), 500, last), TIMEOUT).isLast("new"))
			.as("seed=%d %s", seed, job)
			.isFalse();
		assertThat(this.store.start(start(job, next, 499, last), TIMEOUT).isLast("new")).as("seed=%d %s", seed, job)
			.isFalse();
		assertThat(this.store.start(start(job, next, 500, last), TIMEOUT).isLast("new")).as("seed=%d %s", seed, job)
			.isTrue();
		assertThat(this.store.finish(new RunEnd(job, "new", Outcome.SUCCEEDED), TIMEOUT)).as("seed=%d %s", seed, job)
			.isTrue();
		assertThat(this.store.cover(new RunCover(job, 500, next, next.plusMillis(1), 0, 0), TIMEOUT))
			.as("seed=%d %s", seed, job)
			.isTrue();
	}

	/** Whoever does not know what is there starts nothing, and is told so in one line. */
	private void refuse(JobKey job, Instant now, long seed) {
		try {
			RunRecord record = this.store.start(start(job, now, 500, "unknown"), TIMEOUT);
			assertThat(record.isLast("new")).as("seed=%d %s", seed, record).isFalse();
			assertThat(record.fence()).as("seed=%d %s", seed, record).isBetween(501L, Lease.MAX_TERM);
		}
		catch (LeaseStoreException ex) {
			assertOneLine(ex.getMessage(), seed);
		}
	}

	private static RunStart start(JobKey job, Instant fireTime, long term, String previous) {
		return new RunStart(new JobRun("new", job.election(), job.job(), fireTime, Cause.SCHEDULED, 1, term, "me", null,
				null, Outcome.RUNNING), previous);
	}

	private static void assertOneLine(String text, long seed) {
		assertThat(text).as("seed=%d", seed)
			.hasSizeLessThan(4_000)
			.doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
	}

}
