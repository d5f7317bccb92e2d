package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.TermFence;
import io.github.leaderelection.store.CandidateRecord;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Applications that share a database and the names of their elections, kept apart by a
 * prefix.
 */
class ElectionPrefixOnMongoTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class))
		.withBean(Job.class)
		.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri(),
				"spring.mongodb.database=" + this.database.getName());

	@AfterEach
	void dropDatabase() {
		this.database.drop();
		this.client.close();
	}

	@Test
	void applicationsWithDifferentPrefixesBothLead() {
		shopAndBank((shop, bank) -> {
			awaitLeader(shop, "invoices");
			awaitLeader(bank, "invoices");
			assertThat(shop.getBean(Job.class).run()).isEqualTo("invoices");
			assertThat(bank.getBean(Job.class).run()).isEqualTo("invoices");
			assertThat(ids(MongoStores.LEASES)).containsExactlyInAnyOrder("shop.invoices", "bank.invoices");
		});
	}

	@Test
	void candidatesOfTheOtherApplicationAreNotSeen() {
		shopAndBank((shop, bank) -> {
			await().atMost(LONG).until(() -> ids(MongoStores.CANDIDATES).size() == 2);
			ElectionEngine engine = bank.getBean(ElectionEngine.class);
			await().atMost(LONG).until(() -> !engine.status().candidates().isEmpty());
			assertThat(engine.status().candidates()).singleElement()
				.extracting(CandidateRecord::id)
				.isEqualTo(engine.candidateId());
		});
	}

	@Test
	void fencesOfTheTwoAreApart() {
		shopAndBank((shop, bank) -> {
			awaitLeader(shop, "invoices");
			awaitLeader(bank, "invoices");
			raise("bank.invoices");
			pass(shop.getBean(LeaderElection.class).leadership("invoices").orElseThrow());
			assertThatExceptionOfType(LeadershipLostException.class)
				.isThrownBy(() -> pass(bank.getBean(LeaderElection.class).leadership("invoices").orElseThrow()));
			assertThat(this.database.getCollection(TermFence.COLLECTION).distinct("_id.lease", String.class))
				.containsExactlyInAnyOrder("shop.invoices", "bank.invoices");
		});
	}

	@Test
	void prefixAppliesToTheDefaultElection() {
		this.contextRunner
			.withPropertyValues("leader-election.prefix=shop.", "leader-election.default-election=jobs",
					"leader-election.elections.jobs.stand=true")
			.run((context) -> {
				awaitLeader(context, "jobs");
				assertThat(ids(MongoStores.LEASES)).contains("shop.jobs");
			});
	}

	private void shopAndBank(BiConsumer<AssertableApplicationContext, AssertableApplicationContext> test) {
		run("shop", (shop) -> run("bank", (bank) -> test.accept(shop, bank)));
	}

	private void run(String name, Consumer<AssertableApplicationContext> test) {
		this.contextRunner.withPropertyValues("spring.application.name=" + name, "leader-election.prefix=" + name + ".")
			.run(test::accept);
	}

	private void raise(String lease) {
		this.database.getCollection(TermFence.COLLECTION)
			.insertOne(new Document("_id", new Document("lease", lease).append("lane", 0)).append("term", 1000L));
	}

	private void pass(Leadership leadership) {
		try (ClientSession session = this.client.startSession()) {
			session.startTransaction();
			new TermFence(this.database).pass(session, leadership);
			session.commitTransaction();
		}
	}

	private List<String> ids(String collection) {
		return this.database.getCollection(collection)
			.find()
			.map((document) -> document.getString("_id"))
			.into(new ArrayList<>());
	}

	private static void awaitLeader(AssertableApplicationContext context, String election) {
		await().atMost(LONG).until(() -> context.getBean(LeaderElection.class).isLeader(election));
	}

	static class Job {

		private final LeaderElection elections;

		Job(LeaderElection elections) {
			this.elections = elections;
		}

		@LeaderOnly("invoices")
		public String run() {
			return this.elections.currentLeadership().election();
		}

	}

}
