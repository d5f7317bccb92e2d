package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.job.StoredRuns;
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

	private static final JobKey SOUND = new JobKey("billing", "sound");

	private static final String TIMETABLE = "cron 0 * * * * *";

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<RawBsonDocument> runs = this.database.getCollection(MongoRecordStore.RUNS,
			RawBsonDocument.class);

	private final StoredRuns store = new StoredRuns(
			new MongoRecordStore(this.database, MongoRecordStore.RUNS, "", RecordedJobs.FIELDS));

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
		Set<JobKey> sound = new HashSet<>();
		for (JobKey job : odd) {
			RunRecord found = this.store.find(job);
			String damage = this.store.damage(job);
			assertThat((found == null) != (damage == null)).as("seed=%d %s", seed, job).isTrue();
			if (found != null) {
				assertOneLine(found.toString(), seed);
				sound.add(job);
			}
			else {
				assertOneLine(damage, seed);
			}
		}
		assertThat(sound).as("seed=%d", seed).isNotEmpty().hasSizeLessThan(PER_ROUND);
		Set<JobKey> opened = new HashSet<>();
		odd.add(SOUND);
		this.store.open(500, TIMETABLE, now, odd.toArray(new JobKey[0])).forEach((record) -> {
			assertThat(record.fence()).as("seed=%d %s", seed, record).isEqualTo(500);
			assertThat(record.timetable()).as("seed=%d %s", seed, record).isEqualTo(TIMETABLE);
			opened.add(record.key());
			obey(record, seed);
		});
		assertThat(opened).as("seed=%d", seed).contains(SOUND);
		assertThat(opened.stream().filter((job) -> !job.equals(SOUND))).as("seed=%d", seed).isSubsetOf(sound);
	}

	/** Run through the life of a run. */
	private void obey(RunRecord record, long seed) {
		JobKey job = record.key();
		Instant next = record.covered().plusMillis(1);
		assertThat(this.store.start(job, run(job, record.covered(), 500))).as("seed=%d %s", seed, job).isFalse();
		assertThat(this.store.start(job, run(job, next, 499))).as("seed=%d %s", seed, job).isFalse();
		assertThat(this.store.start(job, run(job, next, 500))).as("seed=%d %s", seed, job).isTrue();
		this.store.end(job, "new", Outcome.SUCCEEDED);
		RunRecord ended = this.store.find(job);
		assertThat(ended.last().outcome()).as("seed=%d %s", seed, job).isEqualTo(Outcome.SUCCEEDED);
		assertThat(this.store.cover(ended, next.plusMillis(1), 0)).as("seed=%d %s", seed, job).isTrue();
	}

	private static JobRun run(JobKey job, Instant fireTime, long term) {
		return new JobRun("new", job.election(), job.job(), fireTime, Cause.SCHEDULED, 1, term, "me", null, null,
				Outcome.RUNNING);
	}

	private static void assertOneLine(String text, long seed) {
		assertThat(text).as("seed=%d", seed)
			.hasSizeLessThan(4_000)
			.doesNotMatch("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}].*");
	}

}
