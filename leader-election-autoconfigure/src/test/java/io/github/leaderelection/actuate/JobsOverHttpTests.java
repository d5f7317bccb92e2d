package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.Semaphore;

import com.jayway.jsonpath.JsonPath;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.actuate.RunningApplication.Answer;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.leaderelection.actuate.LeaderElectionEndpointTests.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that {@link LeaderElectionEndpoint} shows jobs, and that it triggers them.
 */
class JobsOverHttpTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final String DATABASE = SharedMongo.uniqueDatabase();

	private static RunningApplication application;

	@BeforeAll
	static void start() {
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(DATABASE)
				.getCollection(MongoStores.RUNS)
				.insertOne(new Document("_id", "dropped/monthly").append("revision", 1L)
					.append("fence", 3L)
					.append("covered", new Date())
					.append("timetable", "0 0 10 1 1 * UTC")
					.append("skipped", 0L)
					.append("missed", 0L)
					.append("run", null));
		}
		application = RunningApplication.start(Application.class, SharedMongo.uri(), DATABASE,
				"management.endpoint.leaderelection.access=unrestricted");
	}

	@AfterAll
	static void stop() {
		Jobs.letGo.release(1000);
		application.close();
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(DATABASE).drop();
		}
	}

	@Test
	void jobIsTriggeredAndItsRunShown() {
		await().atMost(LONG).until(() -> application.engine().isLeader("triggered"));
		await().atMost(LONG).until(() -> !told("triggered", "nightly", "nextFireTime").startsWith("[]"));
		Answer before = application.get("/leaderelection/triggered");
		assertThat(before.<String>read("jobs[0].name")).isEqualTo("nightly");
		assertThat(before.<String>read("jobs[0].timetable")).isEqualTo("0 0 10 1 1 * UTC");
		assertThat(before.<String>read("jobs[0].startingDeadline")).isEqualTo("PT10M");
		assertThat(Instant.parse(before.read("jobs[0].nextFireTime"))).isAfter(Instant.now());
		assertThat(before.<Boolean>read("jobs[0].running")).isFalse();
		assertThat(before.body()).doesNotContain("lastRun", "problem");

		Answer answer = trigger("triggered", "nightly");
		assertThat(answer.status()).as(answer.body()).isEqualTo(202);
		assertThat(answer.<String>read("message")).isEqualTo("Job 'nightly' was triggered, in term 1 of 'triggered'");
		await().atMost(LONG).until(Jobs.entered::tryAcquire);
		Answer during = application.get("/leaderelection/triggered");
		assertThat(during.<Boolean>read("jobs[0].running")).isTrue();
		assertThat(during.<String>read("jobs[0].lastRun.outcome")).isEqualTo("RUNNING");
		assertThat(during.<String>read("jobs[0].lastRun.cause")).isEqualTo("TRIGGERED");
		assertThat(during.<Integer>read("jobs[0].lastRun.term")).isEqualTo(1);
		assertThat(during.<String>read("jobs[0].lastRun.candidate")).isEqualTo(application.engine().candidateId());
		assertRefused(trigger("triggered", "nightly"), 409, "Job 'triggered/nightly' is still running");

		Jobs.letGo.release();
		await().atMost(LONG).until(() -> told("triggered", "nightly", "lastRun.outcome").contains("SUCCEEDED"));
		Answer after = application.get("/leaderelection");
		assertThat(Duration.parse(after.read("elections.triggered.jobs[0].lastRun.duration")))
			.isGreaterThanOrEqualTo(Duration.ZERO);
		assertThat(after.body()).doesNotContain("fireTime");
	}

	@Test
	void invalidTriggerRequestsAreRefused() {
		await().atMost(LONG).until(() -> application.engine().isLeader("paused"));
		assertRefused(trigger("paused", "nightly"), 404, "records no such job in 'paused'");
		assertRefused(trigger("nowhere", "weekly"), 404, "does not stand in an election of that name");
		assertRefused(application.post("/leaderelection/paused", "{\"action\":\"trigger\"}"), 400, "Name the job");
		application.engine().pause("paused");
		await().atMost(LONG)
			.until(() -> application.get("/leaderelection/paused").<String>read("role").equals("PAUSED"));
		assertRefused(trigger("paused", "weekly"), 409, "does not lead 'paused'");
		assertThat(application.get("/leaderelection/paused").<Boolean>read("jobs[0].running")).isFalse();
	}

	/** The leases were dropped after the record was opened. */
	@Test
	void jobWithUnusableRecordShowsTheReason() {
		await().atMost(LONG).until(() -> application.engine().isLeader("dropped"));
		await().atMost(LONG).until(() -> told("dropped", "monthly", "problem").contains("its fence is above term 1"));
		assertRefused(trigger("dropped", "monthly"), 409, "can't be used: its fence is above term 1");
	}

	private static Answer trigger(String election, String job) {
		return application.post("/leaderelection/" + election,
				"{\"action\":\"trigger\",\"job\":\"%s\"}".formatted(job));
	}

	private static String told(String election, String job, String field) {
		Object told = JsonPath.read(application.get("/leaderelection/" + election).body(),
				"$.jobs[?(@.name == '" + job + "')]." + field);
		return String.valueOf(told);
	}

	@Import(Jobs.class)
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class Application {

	}

	static class Jobs {

		static final Semaphore entered = new Semaphore(0);

		static final Semaphore letGo = new Semaphore(0);

		@Scheduled(cron = "0 0 10 1 1 *", zone = "UTC")
		@LeaderOnly(value = "triggered", job = "nightly")
		void nightly() throws InterruptedException {
			entered.release();
			letGo.acquire();
		}

		@Scheduled(cron = "0 0 10 1 1 *", zone = "UTC")
		@LeaderOnly(value = "paused", job = "weekly")
		void weekly() {
		}

		@Scheduled(cron = "0 0 10 1 1 *", zone = "UTC")
		@LeaderOnly(value = "dropped", job = "monthly")
		void monthly() {
		}

	}

}
