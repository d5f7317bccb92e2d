package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoublePredicate;
import java.util.regex.Pattern;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.mongodb.RecordedCommands;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a scrape over HTTP shows of a running application on a real MongoDB, for each
 * meter.
 */
@Timeout(180)
class LeaderElectionMetricsOnMongoTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final HttpClient http = HttpClient.newHttpClient();

	private static MongoReplicaSet mongo;

	private static MongoClient client;

	private static ConfigurableApplicationContext context;

	private static LeaderElection elections;

	private static MeasuredElections.Jobs jobs;

	@BeforeAll
	static void start() {
		mongo = MongoReplicaSet.start(1);
		client = MongoClients.create(mongo.uri());
		leases().insertOne(new Document("_id", "taken").append("holder", "other#1")
			.append("term", 7L)
			.append("revision", 1L)
			.append("ttlMillis", 3_600_000L));
		client.getDatabase("shop")
			.getCollection("leader_election_sessions")
			.insertOne(new Document("_id", "other#1").append("revision", 1L)
				.append("state", "alive")
				.append("ttlMillis", 3_600_000L));
		context = new SpringApplicationBuilder(MeasuredElections.class).properties("server.port=0",
				"spring.application.name=shop", "spring.mongodb.uri=" + mongo.uri("shop"),
				"management.endpoints.web.exposure.include=prometheus", "leader-election.ttl=10m",
				"leader-election.cooldown=100ms", "leader-election.poll-interval=1s",
				"leader-election.elections.contested.ttl=10m", "leader-election.elections.contested.poll-interval=1s",
				"leader-election.elections.stubborn.safety-margin=12s", "leader-election.elections.brief.ttl=2s",
				"leader-election.elections.edited.ttl=2s", "leader-election.elections.impatient.drain-timeout=100ms",
				"leader-election.elections.stubborn.drain-timeout=100ms", "leader-election.elections.brief.stand=true",
				"leader-election.elections.edited.stand=true", "leader-election.elections.impatient.stand=true",
				"leader-election.elections.contested.stand=true", "leader-election.elections.stubborn.stand=true")
			.run();
		elections = context.getBean(LeaderElection.class);
		jobs = context.getBean(MeasuredElections.Jobs.class);
		for (String election : List.of("held", "brief", "edited", "impatient", "stubborn")) {
			await().atMost(LONG).until(() -> elections.isLeader(election));
		}
	}

	@AfterAll
	static void stop() {
		if (context != null) {
			context.getBean(MeasuredElections.Stubborn.class).letGo();
			SpringApplication.exit(context);
		}
		if (client != null) {
			client.close();
		}
		if (mongo != null) {
			mongo.close();
		}
	}

	@Test
	void everyMeterOfTheTableIsShown() throws IOException {
		await().atMost(LONG).until(() -> elections.isLeader("held"));
		AtomicReference<String> during = new AtomicReference<>("");
		assertThat(context.getBean(JobRuns.class).run("held", "report", Instant.now(), (run) -> {
		})).isEqualTo(JobRuns.Result.RAN);
		// Ends an observation, and looks around in the middle of the next.
		jobs.run(() -> {
		});
		jobs.run(() -> during.set(scrape()));
		List<String> names = Pattern
			.compile("(?m)^\\| `(leader\\.election\\.[a-z.]+)` \\| (?:gauge|counter|timer|long)")
			.matcher(Files.readString(Path.of("../docs/monitoring/README.md")))
			.results()
			.map((row) -> row.group(1).replace('.', '_'))
			.toList();
		assertThat(names).hasSizeGreaterThan(20)
			.allSatisfy((name) -> assertThat(during.get())
				.containsPattern("(?m)^" + name + "(_seconds|_total)?(_count)?[{ ]"));
	}

	@Test
	void leadership() {
		awaitSample("leading{election=\"held\"}", 1);
		awaitSample("leading{election=\"taken\"}", 0);
		awaitSample("term{election=\"held\"}", (value) -> value > 0);
		awaitSample("term{election=\"taken\"}", 7);
		awaitSample("lease_ttl_seconds{election=\"held\"}", 600);
		awaitSample("lease_remaining_seconds{election=\"held\"}", (value) -> value > 0 && value <= 540);
		awaitSample("lease_remaining_seconds{election=\"taken\"}", (value) -> value > 600 && value <= 3600);
		awaitSample("heartbeat_age_seconds{election=\"held\"}", (value) -> value > 0 && value < 600);
		awaitSample("heartbeat_age_seconds{election=\"taken\"}", Double::isNaN);
		awaitSample("observation_age_seconds{election=\"taken\"}", (value) -> value > 0 && value < 600);
		awaitSample("leaderless_seconds{election=\"taken\"}", 0);
		awaitSample("candidates{election=\"held\"}", 1);
		awaitSample("watch_connected", 1);
	}

	@Test
	void candidateThatJoinsWhileTheApplicationRuns() {
		RecordingCandidate guest = new RecordingCandidate("guest");
		elections.register(guest);
		awaitSample("leading{election=\"guest\"}", 1);
		elections.unregister(guest);
		awaitSample("transitions_total{election=\"guest\",reason=\"shutdown\"}", 1);
	}

	@Test
	void damagedLeaseLeavesNobody() {
		leases().insertOne(new Document("_id", "damaged").append("holder", "other"));
		elections.register(new RecordingCandidate("damaged"));
		awaitSample("leaderless_seconds{election=\"damaged\"}", (value) -> value > 0);
	}

	@Test
	void callsOfStore() {
		for (String operation : List.of("read", "create", "take", "renew", "watch", "announce")) {
			awaitSample("store_calls_seconds_count{operation=\"" + operation + "\",outcome=\"answered\"}",
					(value) -> value > 0);
		}
		elections.resign("held");
		awaitSample("store_calls_seconds_count{operation=\"release\",outcome=\"answered\"}", (value) -> value > 0);
		awaitSample("transitions_total{election=\"held\",reason=\"resigned\"}", (value) -> value > 0);
		awaitSample("drain_seconds_count{election=\"held\",outcome=\"complete\"}", (value) -> value > 0);
		// What has never happened has no series.
		assertThat(scrape()).doesNotContain("operation=\"withdraw\"");
		await().atMost(LONG).until(() -> elections.isLeader("held"));
	}

	@Test
	void callsThatRun() {
		await().atMost(LONG).until(() -> elections.isLeader("held"));
		elections.runIfLeader("held", (leadership) -> awaitSample("calls_active{election=\"held\"}", 1));
		awaitSample("calls_active{election=\"held\"}", 0);
		awaitSample("calls_total{election=\"held\",outcome=\"completed\"}", (value) -> value > 0);
	}

	@Test
	void callsThatAreObserved() {
		await().atMost(LONG).until(() -> elections.isLeader("held"));
		String method = "{election=\"held\",error=\"none\",method=\"MeasuredElections.Jobs.run\"}";
		jobs.run(() -> awaitSample(
				"method_active_seconds_count{election=\"held\",method=\"MeasuredElections.Jobs.run\"}", 1));
		awaitSample("method_seconds_count" + method, (value) -> value > 0);
		awaitSample("calls_total{election=\"held\",outcome=\"completed\"}", (value) -> value > 0);
	}

	@Test
	void callsThatAreRefused() {
		jobs.skip();
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::reject);
		assertThat(elections.runIfLeader("taken", (leadership) -> {
		})).isFalse();
		awaitSample("calls_total{election=\"taken\",outcome=\"skipped\"}", 2);
		awaitSample("calls_total{election=\"taken\",outcome=\"rejected\"}", 1);
	}

	@Test
	void workThatGoesOn() {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch letGo = new CountDownLatch(1);
		Thread worker = new Thread(() -> jobs.linger(entered, letGo));
		worker.start();
		await().atMost(LONG).until(() -> entered.getCount() == 0);
		try {
			elections.resign("impatient");
			awaitSample("drain_seconds_count{election=\"impatient\",outcome=\"incomplete\"}", 1);
			awaitSample("lingering_seconds{election=\"impatient\"}", (value) -> value > 0);
		}
		finally {
			letGo.countDown();
		}
		awaitSample("calls_total{election=\"impatient\",outcome=\"interrupted\"}", 1);
		awaitSample("lingering_seconds{election=\"impatient\"}", 0);
	}

	@Test
	void candidateThatFails() {
		awaitSample("transitions_total{election=\"failing\",reason=\"callback_failed\"}", (value) -> value > 0);
	}

	@Test
	@Tag("deep")
	void callbackThatIsStuck() {
		awaitSample("callbacks_stuck{election=\"stubborn\"}", 0);
		await().atMost(LONG).until(() -> elections.resign("stubborn"));
		awaitSample("callbacks_stuck{election=\"stubborn\"}", 1);
	}

	@Test
	void leaseThatIsTakenOver() {
		leases().updateOne(Filters.eq("edited"), Updates.combine(Updates.set("holder", "rival#1"),
				Updates.inc("term", 1L), Updates.inc("revision", 1L)));
		awaitSample("transitions_total{election=\"edited\",reason=\"taken_over\"}", 1);
		awaitSample("transitions_total{election=\"edited\",reason=\"elected\"}", (value) -> value > 1);
	}

	@Test
	@Tag("deep")
	void scrapeWaitsForNothingWhileMongoIsPaused() {
		await().atMost(LONG).until(() -> elections.isLeader("brief"));
		MongoNode node = mongo.nodes().get(0);
		node.pause();
		try {
			awaitSample("transitions_total{election=\"brief\",reason=\"expired\"}", (value) -> value > 0);
			awaitSample("store_calls_seconds_count{operation=\"renew\",outcome=\"failed\"}", (value) -> value > 0);
			awaitSample("store_outage_seconds", (value) -> value > 0);
			awaitSample("leaderless_seconds{election=\"brief\"}", (value) -> value > 0);
			awaitSample("leading{election=\"brief\"}", 0);
			awaitSample("watch_connected", 0);
		}
		finally {
			node.resume();
		}
		awaitSample("store_outage_seconds", 0);
		awaitSample("leading{election=\"brief\"}", 1);
		awaitSample("watch_connected", 1);
	}

	@Test
	void scrapeMakesNoStoreCall() {
		RecordedCommands commands = context.getBean(RecordedCommands.class);
		// What is due anyway may come in between, but not each time.
		await().atMost(LONG).until(() -> {
			commands.clear();
			scrape();
			return commands.names().isEmpty();
		});
	}

	private static void awaitSample(String sample, double expected) {
		awaitSample(sample, (value) -> value == expected);
	}

	private static void awaitSample(String sample, DoublePredicate expected) {
		await().atMost(LONG)
			.untilAsserted(() -> assertThat(scrape().lines()
				.filter((line) -> line.startsWith("leader_election_" + sample + " "))
				.map((line) -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))).as(sample)
				.hasSize(1)
				.allMatch(expected::test));
	}

	private static String scrape() {
		String port = context.getEnvironment().getProperty("local.server.port");
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/prometheus"))
			.timeout(Duration.ofSeconds(30))
			.build();
		try {
			HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
			assertThat(response.statusCode()).isEqualTo(200);
			return response.body();
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError(ex);
		}
	}

	private static MongoCollection<Document> leases() {
		return client.getDatabase("shop").getCollection("leader_election_leases");
	}

}
