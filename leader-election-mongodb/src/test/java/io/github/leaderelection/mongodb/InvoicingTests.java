package io.github.leaderelection.mongodb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an application without Spring, on a real MongoDB.
 */
class InvoicingTests {

	private static final Path SOURCE = Path.of("src/test/java/io/github/leaderelection/mongodb/Invoicing.java");

	private static final Path PAGE = Path.of("../docs/without-spring.md");

	@Test
	void leaderWorksUntilTerminatedAndReleasesItsLease() throws Exception {
		String name = SharedMongo.uniqueDatabase();
		Process application = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), Invoicing.class.getName(), SharedMongo.uri(), name)
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			MongoDatabase database = client.getDatabase(name);
			await().atMost(Duration.ofSeconds(60)).until(() -> database.getCollection("invoices").countDocuments() > 1);
			assertThat(database.getCollection("invoices").find()).allMatch((each) -> each.getLong("term") == 1);
			Document candidate = database.getCollection(MongoStores.CANDIDATES).find().first();
			assertThat(candidate.getString("_id")).startsWith("invoicing@");
			application.destroy();
			assertThat(application.waitFor(60, TimeUnit.SECONDS)).isTrue();
			Document lease = database.getCollection(MongoStores.LEASES).find().first();
			assertThat(lease).containsEntry("_id", "invoices").containsEntry("holder", null);
			database.drop();
		}
		finally {
			application.destroyForcibly();
		}
	}

	@Test
	void pageShowsTheTestedCode() throws IOException {
		String source = Files.readString(SOURCE);
		assertThat(Files.readString(PAGE)).contains(source.substring(source.indexOf("public final class")));
	}

}
