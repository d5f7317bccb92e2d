package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.StoredRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MongoLeaderElectionAutoConfiguration}. None of them reaches a server:
 * its absence must delay neither startup nor shutdown.
 */
@Timeout(25)
@ExtendWith(OutputCaptureExtension.class)
class MongoLeaderElectionAutoConfigurationTests {

	/** Nothing listens here; the driver would look for a server for 30 seconds. */
	private static final String CLOSED_PORT = "mongodb://127.0.0.1:1/";

	private static final String DEFAULT_DATABASE = "Leader election uses MongoDB's default database, 'test'";

	private final ApplicationContextRunner withDriver = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
						LeaderOnlyAutoConfiguration.class, MongoAutoConfiguration.class))
		.withPropertyValues("leader-election.elections.x.ttl=1s", "leader-election.elections.x.stand=true");

	private final ApplicationContextRunner withSpringData = this.withDriver
		.withConfiguration(AutoConfigurations.of(DataMongoAutoConfiguration.class));

	private final ApplicationContextRunner withOwnClient = this.withDriver.withBean("ownClient", MongoClient.class,
			() -> MongoClients.create(CLOSED_PORT));

	@Test
	void startsWhileMongoIsDown() {
		this.withDriver.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + "shop").run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(MongoRecordStores.class);
			assertThat(context.getBean(LeaderElection.class).isLeader("x")).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "shop, -, -, shop", "shop, orders, -, orders", "shop, -, jobs, jobs" })
	void usesTheDatabaseOfTheApplicationUnlessAnotherIsNamed(String ofUri, String ofProperty, String ownName,
			String used) {
		for (ApplicationContextRunner runner : List.of(this.withDriver, this.withSpringData)) {
			runner
				.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + ofUri,
						(ofProperty != null) ? "spring.mongodb.database=" + ofProperty : "any=",
						(ownName != null) ? "leader-election.mongodb.database=" + ownName : "any=")
				.run((context) -> assertThat(databaseOf(context)).isEqualTo(used));
		}
	}

	@Test
	void usesTheBeansOfTheApplication() {
		this.withDriver
			.withBean(MongoConnectionDetails.class,
					() -> () -> new com.mongodb.ConnectionString(CLOSED_PORT + "contained"))
			.run((context) -> assertThat(databaseOf(context)).isEqualTo("contained"));
		withFactory(this.withSpringData, "own").run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(MongoClient.class);
			assertThat(databaseOf(context)).isEqualTo("own");
		});
		this.withOwnClient.withPropertyValues("spring.mongodb.database=orders")
			.run((context) -> assertThat(databaseOf(context)).isEqualTo("orders"));
	}

	@Test
	void defaultDatabaseCausesWarning(CapturedOutput output) {
		for (ApplicationContextRunner runner : List.of(this.withDriver, this.withSpringData,
				this.withDriver.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT), this.withOwnClient)) {
			int before = count(output, DEFAULT_DATABASE);
			runner.run((context) -> assertThat(databaseOf(context)).isEqualTo("test"));
			assertThat(count(output, DEFAULT_DATABASE)).isEqualTo(before + 1);
		}
	}

	@Test
	void explicitDefaultDatabaseCausesNoWarning(CapturedOutput output) {
		this.withSpringData.withPropertyValues("leader-election.mongodb.database=test")
			.run((context) -> assertThat(databaseOf(context)).isEqualTo("test"));
		assertThat(output).doesNotContain(DEFAULT_DATABASE);
	}

	private static int count(CapturedOutput output, String text) {
		return output.getOut().split(text, -1).length - 1;
	}

	@Test
	void invalidDatabaseNameFailsTheStart() {
		for (ApplicationContextRunner runner : List.of(this.withDriver, this.withSpringData)) {
			runner
				.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + "shop",
						"leader-election.mongodb.database=my jobs")
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining("leader-election.mongodb.database (my jobs) is not a valid database name. "
							+ "Use a name without spaces, dots, slashes, backslashes and quotation marks"));
		}
	}

	@Test
	void usesTheApplicationsOwnClientWithoutBootsSupport() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
					MongoLeaderElectionAutoConfiguration.class))
			.withBean(MongoClient.class, () -> MongoClients.create(CLOSED_PORT))
			.withClassLoader(new FilteredClassLoader(MongoConnectionDetails.class))
			.run((context) -> assertThat(databaseOf(context)).isEqualTo("test"));
	}

	@Test
	void backsOffWithoutTheDriver() {
		this.withDriver.withClassLoader(new FilteredClassLoader(MongoClient.class))
			.withBean(RecordStores.class, InMemoryRecordStores::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaseDatabase.class));
	}

	@Test
	void backsOffForStoresOfTheApplication() {
		this.withDriver.withBean(RecordStores.class, InMemoryRecordStores::new)
			.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + "shop", "leader-election.elections.x.stand=true",
					"leader-election.prefix=shop.")
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.hasSingleBean(RecordStores.class)
					.doesNotHaveBean(MongoRecordStores.class)
					.doesNotHaveBean(LeaseDatabase.class);
				await().until(() -> context.getBean(LeaderElection.class).isLeader("x"));
				RecordStores stores = context.getBean(RecordStores.class);
				assertThat(stores.store(LeaseStore.LEASES).read(List.of("shop.x"), Duration.ofSeconds(1)).records())
					.containsOnlyKeys("shop.x");
				LeaderElection elections = context.getBean(LeaderElection.class);
				// It is the key of fences.
				assertThat(elections.leadership("x").orElseThrow().leaseId()).isEqualTo("shop.x");
				await().until(() -> {
					StoredRecord candidate = stores.store(CandidateRegistry.CANDIDATES)
						.read(List.of(elections.candidateId()), Duration.ofSeconds(1))
						.records()
						.get(elections.candidateId());
					return candidate != null && candidate.fields().get("elections").equals("shop.x");
				});
			});
	}

	@Test
	void doesNotTouchMongoWhenDisabled() {
		this.withDriver
			.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + "shop", "leader-election.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(RecordStores.class)
				.doesNotHaveBean(LeaseDatabase.class));
	}

	@Test
	void severalFactoriesWithoutPrimaryFailTheStart() {
		withFactory(withFactory(this.withDriver, "own"), "another").run(
				(context) -> FailureAnalyses.assertFailure(context,
						"Leader election is enabled, but there are several MongoDatabaseFactory beans and none "
								+ "is primary: own, another.",
						"Mark the MongoDatabaseFactory whose database is to keep"));
	}

	@Test
	void driverWithoutMongodbModuleProvidesNoStore() {
		ApplicationContextRunner runner = this.withDriver
			.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT + "shop")
			.withClassLoader(new FilteredClassLoader("io.github.leaderelection.mongodb"));
		runner.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("nor is leader-election-mongodb on the class path");
			assertThat(analysis.getAction()).contains("Depend on leader-election-starter");
		});
		runner.withBean(RecordStores.class, InMemoryRecordStores::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaseDatabase.class));
	}

	private static ApplicationContextRunner withFactory(ApplicationContextRunner runner, String name) {
		return runner.withBean(name, MongoDatabaseFactory.class,
				() -> new SimpleMongoClientDatabaseFactory(CLOSED_PORT + name));
	}

	private static String databaseOf(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		return context.getBean(LeaseDatabase.class).database().getName();
	}

}
