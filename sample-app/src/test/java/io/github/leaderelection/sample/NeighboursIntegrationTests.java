package io.github.leaderelection.sample;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests with odd documents in the sample's collections, and with requests to its page
 * from elsewhere.
 */
@Tag("deep")
class NeighboursIntegrationTests {

	private static MongoReplicaSet mongo;

	private static MongoClient client;

	@BeforeAll
	static void startMongo() {
		mongo = MongoReplicaSet.start(1);
		client = MongoClients.create(mongo.uri());
	}

	@AfterAll
	static void stopMongo() {
		client.close();
		mongo.close();
	}

	@Test
	void oddDocumentsNeitherEmptyThePageNorFloodTheLog() throws Exception {
		MongoDatabase database = client.getDatabase("odd");
		database.getCollection("counters").insertOne(new Document("_id", "instances").append("last", "many"));
		insertOdd(database);
		try (SampleCluster cluster = new SampleCluster(mongo, "odd")) {
			cluster.start(1);
			SampleProcess process = cluster.processes().get(0);
			SampleCluster.ELECTIONS.forEach(cluster::awaitLeader);
			// Records are read only while a page is open.
			HttpResponse<InputStream> page = HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(URI.create(process.address() + "api/elections/live")).build(),
						HttpResponse.BodyHandlers.ofInputStream());
			SampleCluster.await("history").untilAsserted(() -> {
				History history = process.overview().history();
				assertThat(history).isNotNull();
				assertThat(history.instances()).extracting(Instance::candidate).containsExactly(process.candidateId());
				assertThat(history.terms()).hasSize(3).extracting(Term::candidate).containsOnly(process.candidateId());
				assertThat(history.runs()).isNotEmpty().extracting(Run::candidate).containsOnly(process.candidateId());
			});

			insertOdd(database);
			insertRequests(database);
			Instant asked = Instant.now();
			assertThat(process.resign("nightly-report")).isTrue();
			SampleCluster.await("requests").until(() -> requests(database) == 0);
			SampleCluster.await("next term").until(() -> process.leads("nightly-report"));
			SampleCluster.await("next run").until(() -> {
				History history = process.overview().history();
				return history != null && history.runs().stream().anyMatch((run) -> run.startedAt().isAfter(asked));
			});
			assertThat(process.log().containing("that this application can't read")).hasSize(4)
				.noneMatch((entry) -> entry.message().contains("forged"));
			assertThat(process.log().containing("can't be counted up")).hasSize(1);
			assertThat(process.log().alarms()).isEmpty();
			page.body().close();
		}
	}

	private static long requests(MongoDatabase database) {
		return database.getCollection("handover_requests").countDocuments();
	}

	private static void insertRequests(MongoDatabase database) {
		for (String election : SampleCluster.ELECTIONS) {
			database.getCollection("handover_requests")
				.insertOne(new Document("election", election).append("askedAt", List.of(new Date(), new Date())));
		}
		insert(database, "handover_requests",
				new Document("election", "market-feed").append("successor", Map.of("a", 1)), "askedAt", "askedAt");
	}

	private static void insertOdd(MongoDatabase database) {
		Document roles = new Document("market-feed", "LEADER");
		Document instance = new Document("number", 1).append("pid", 1L)
			.append("host", "localhost")
			.append("address", "http://localhost/")
			.append("roles", roles)
			.append("callsInFlight", new Document("market-feed", 0));
		List<Consumer<Document>> slips = List.of((odd) -> odd.remove("number"), (odd) -> odd.put("number", "one"),
				(odd) -> odd.put("number", 1e300), (odd) -> odd.remove("roles"), (odd) -> odd.put("roles", List.of(1)),
				(odd) -> odd.put("roles", new Document("market-feed", null)),
				(odd) -> odd.put("roles", new Document("market-feed", "forged\nforged")),
				(odd) -> odd.put("address", "javascript:alert(1)"), (odd) -> odd.remove("address"),
				(odd) -> odd.put("stoppedAt", "never"), (odd) -> odd.put("address", "http://" + "a".repeat(2_000_000)));
		slips.forEach((slip) -> insert(database, "instances", slip(instance, slip), "seenAt", "startedAt"));
		// This one would look alive for ever.
		database.getCollection("instances")
			.insertOne(new Document(instance).append("startedAt", new Date())
				.append("seenAt", Date.from(Instant.parse("2999-01-01T00:00:00Z"))));

		Document term = new Document("election", "market-feed").append("number", 1L).append("candidate", "forged");
		slips = List.of((odd) -> odd.remove("candidate"), (odd) -> odd.put("election", null),
				(odd) -> odd.put("number", null), (odd) -> odd.put("end", "forged\nforged"),
				(odd) -> odd.put("candidate", "a".repeat(2_000_000)));
		slips.forEach((slip) -> insert(database, "terms", slip(term, slip), "heldUntil", "startedAt"));
		insert(database, "terms", term, "heldUntil", "heldUntil");

		Document run = new Document("job", "any").append("election", "market-feed")
			.append("term", 1L)
			.append("candidate", "forged");
		slips = List.of((odd) -> odd.remove("job"), (odd) -> odd.put("term", "first"), (odd) -> odd.remove("candidate"),
				(odd) -> odd.put("finishedAt", "forged"), (odd) -> odd.put("job", "a".repeat(2_000_000)));
		slips.forEach((slip) -> insert(database, "job_runs", slip(run, slip), "startedAt", "startedAt"));
	}

	private static Document slip(Document sound, Consumer<Document> slip) {
		Document odd = new Document(sound);
		slip.accept(odd);
		return odd;
	}

	private static void insert(MongoDatabase database, String collection, Document document, String one, String other) {
		database.getCollection(collection)
			.insertOne(new Document(document).append(one, new Date()).append(other, new Date()));
	}

	@Test
	void pageIsServedLocallyAndUnderItsOwnNamesOnly() throws IOException {
		try (SampleCluster cluster = new SampleCluster(mongo, "names", "--sample.hosts=sample.example")) {
			cluster.start(1);
			int port = URI.create(cluster.processes().get(0).address()).getPort();
			assertThat(statusFor(port, "localhost:" + port)).contains(" 200");
			assertThat(statusFor(port, "sample.example:" + port)).contains(" 200");
			assertThat(statusFor(port, "evil.example:" + port)).contains(" 403");
			for (InetAddress address : addresses()) {
				assertThatIOException().as(address.toString())
					.isThrownBy(() -> connect(new InetSocketAddress(address, port)).close());
			}
		}
	}

	private static List<InetAddress> addresses() throws IOException {
		return NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress())
			.toList();
	}

	private static String statusFor(int port, String host) throws IOException {
		try (Socket socket = connect(new InetSocketAddress("127.0.0.1", port))) {
			String request = "GET /actuator/health/liveness HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n";
			socket.getOutputStream().write(request.formatted(host).getBytes(StandardCharsets.US_ASCII));
			String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return response.lines().findFirst().orElse("");
		}
	}

	private static Socket connect(InetSocketAddress address) throws IOException {
		Socket socket = new Socket();
		socket.connect(address, 10_000);
		return socket;
	}

}
