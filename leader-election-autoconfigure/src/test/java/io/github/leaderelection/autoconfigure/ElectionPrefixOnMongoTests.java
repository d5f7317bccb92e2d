package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.TermFence;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class))
		.withBean(Job.class)
		.withPropertyValues(this.mongo.properties());

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
		try (ClientSession session = this.mongo.client().startSession()) {
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
