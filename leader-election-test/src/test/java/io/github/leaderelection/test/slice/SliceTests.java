package io.github.leaderelection.test.slice;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.test.LeadershipControl;
import io.github.leaderelection.test.WithLeadership;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.mongodb.test.autoconfigure.DataMongoTest;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests {@code @LeaderOnly} and the test kit in slices: of Spring MVC, which has no
 * store; of Spring Data MongoDB, where elections use the database of a test only if the
 * test asks for it; in a slice that has nothing to do with either; and in one that an
 * application has made.
 */
class SliceTests {

	private static final String DATABASE = SharedMongo.uniqueDatabase();

	/** A slice has no listeners, though the application's configuration names them. */
	private static final String COMPONENT = "leader-election.elections.invoices.components=invoice-listener";

	@Test
	void allSlicesImportTheSameAutoConfigurations() throws IOException {
		Set<String> contents = new HashSet<>();
		Set<String> slices = new HashSet<>();
		for (Resource resource : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:META-INF/spring/*Test.imports")) {
			String content = resource.getContentAsString(StandardCharsets.UTF_8);
			if (content.contains(LeaderElectionAutoConfiguration.class.getName())) {
				contents.add(content);
				slices.add(String.valueOf(resource.getFilename()).replace(".imports", ""));
			}
		}
		assertThat(contents).hasSize(1);
		assertThat(slices).hasSize(20)
			.contains("org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest",
					"org.springframework.boot.webflux.test.autoconfigure.WebFluxTest",
					"org.springframework.boot.data.mongodb.test.autoconfigure.DataMongoTest", JsonTest.class.getName());
		assertThat(contents.iterator().next().lines()).allSatisfy((name) -> assertThat(Class.forName(name)).isFinal());
	}

	@Nested
	@JsonTest
	@Import(Cancellations.class)
	class Json {

		@Autowired
		private Cancellations cancellations;

		@Test
		void thisProcessLeads() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
		}

	}

	@Nested
	@SliceOfTheApplication
	class Own {

		@Autowired
		private Cancellations cancellations;

		@Autowired
		private LeadershipControl leadership;

		@Test
		@WithLeadership("invoices")
		void leaderWorksAndFollowerIsRefused() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
			this.leadership.revoke("invoices");
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(this.cancellations::cancel);
		}

	}

	@SpringBootTest(classes = Cancellations.class)
	@OverrideAutoConfiguration(enabled = false)
	@Retention(RetentionPolicy.RUNTIME)
	@interface SliceOfTheApplication {

	}

	@Nested
	@WebMvcTest(properties = COMPONENT)
	class WebMvc {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void thisProcessLeads() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatusOk().hasBodyTextEqualTo("invoices");
		}

	}

	@Nested
	@WebMvcTest
	@TestPropertySource(properties = { "leader-election.enabled=true", "leader-election.when-disabled=skip" })
	class Skipping {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void nobodyLeads() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatus(503);
		}

	}

	@Nested
	@WebMvcTest(properties = COMPONENT)
	class Controlled {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private LeadershipControl leadership;

		@Test
		@WithLeadership("invoices")
		void leaderServesAndFollowerAsksToTryAgain() {
			assertThat(this.mvc.get().uri("/cancel")).hasStatusOk().hasBodyTextEqualTo("invoices");
			this.leadership.revoke("invoices");
			assertThat(this.mvc.get().uri("/cancel")).hasStatus(503)
				.hasContentType("application/problem+json")
				.bodyJson()
				.extractingPath("$.election")
				.isEqualTo("invoices");
		}

	}

	@Nested
	@WebMvcTest
	class Mocked {

		@Autowired
		private MockMvcTester mvc;

		@MockitoBean
		private LeaderElection elections;

		@Test
		void mockTakesThePlaceOfTheEngine() {
			assertThat(this.mvc.get().uri("/missing")).hasStatus(404);
			assertThat(this.elections.elections()).isEmpty();
		}

	}

	@Nested
	@DataMongoTest
	@Import(Cancellations.class)
	class DataMongo extends OnMongo {

		@AfterEach
		void dropDatabase() {
			this.mongo.getDb().drop();
		}

		@Test
		void thisProcessLeadsAndTheDatabaseIsLeftAlone() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
			this.mongo.insert(new Document("_id", 1), "things");
			assertThat(this.mongo.getCollectionNames()).containsExactly("things");
		}

	}

	@Nested
	@DataMongoTest
	@DirtiesContext
	@Import(Cancellations.class)
	@ImportAutoConfiguration(MongoLeaderElectionAutoConfiguration.class)
	class RealElections extends OnMongo {

		@Test
		void electionsTakePlaceInTheDatabase() {
			await().ignoreExceptions().until(() -> this.cancellations.cancel().equals("invoices"));
			assertThat(this.mongo.getCollection(MongoRecordStores.COLLECTIONS + "leases").countDocuments())
				.isEqualTo(1);
		}

	}

	abstract static class OnMongo {

		@DynamicPropertySource
		static void mongo(DynamicPropertyRegistry properties) {
			properties.add("spring.mongodb.uri", SharedMongo::uri);
			properties.add("spring.mongodb.database", () -> DATABASE);
		}

		@Autowired
		protected Cancellations cancellations;

		@Autowired
		protected MongoTemplate mongo;

	}

}
