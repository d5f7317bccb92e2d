package io.github.leaderelection.fence.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.autoconfigure.LeaderFenceAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.fence.FencedCollection.Outcome;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.TermFence;
import io.github.leaderelection.spring.TestGate;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoReactiveAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.mongodb.ReactiveMongoDatabaseFactory;
import org.springframework.data.mongodb.ReactiveMongoTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the page about fencing shows is what is run here.
 */
class FencingPageTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Path SOURCES = Path.of("src/test/java/io/github/leaderelection/fence/example");

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoAutoConfiguration.class,
				DataMongoAutoConfiguration.class, TransactionAutoConfiguration.class,
				LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withBean(TestGate.class)
		.withBean(LeaderElection.class, FencingPageTests::elections)
		.withUserConfiguration(Examples.class);

	static List<Path> examples() throws IOException {
		try (Stream<Path> files = Files.list(SOURCES)) {
			return files.filter((file) -> !file.endsWith("FencingPageTests.java")).toList();
		}
	}

	@ParameterizedTest
	@MethodSource("examples")
	void pageShowsTheExample(Path example) throws IOException {
		String source = Files.readString(example);
		String code = source.substring(source.indexOf("*/\n") + 3);
		assertThat(Files.readString(Path.of("../docs/fencing.md"))
				+ Files.readString(Path.of("../docs/fencing-reactive.md")))
			.contains(code);
	}

	@Test
	void ledger() {
		this.database.getCollection("accounts").insertOne(new Document("_id", "a").append("balance", 0));
		this.runner.run((context) -> {
			context.getBean(TestGate.class).lead("invoices", 7);
			Ledger ledger = context.getBean(Ledger.class);
			ledger.book("a", 5);
			laterLeader();
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> ledger.book("a", 5));
			assertThat(this.database.getCollection("accounts").find()).singleElement()
				.satisfies((account) -> assertThat(account).containsEntry("balance", 5));
		});
	}

	/** With the default, a skipped call, it would be lost without an error. */
	@Test
	void bookingOnAFollowerIsRefusedAndNotLost() {
		this.runner.run((context) -> assertThatExceptionOfType(NotLeaderException.class)
			.isThrownBy(() -> context.getBean(Ledger.class).book("a", 5)));
	}

	@Test
	void reactiveLedger() {
		this.database.getCollection("accounts").insertOne(new Document("_id", "a").append("balance", 0));
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MongoReactiveAutoConfiguration.class,
					DataMongoReactiveAutoConfiguration.class, TransactionAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class))
			.withPropertyValues(this.mongo.properties())
			.withBean(TestGate.class)
			.withUserConfiguration(ReactiveTransactions.class)
			.withBean(ReactiveLedger.class)
			.run((context) -> {
				context.getBean(TestGate.class).lead("invoices", 7);
				ReactiveLedger ledger = context.getBean(ReactiveLedger.class);
				ledger.book("a", 5).block(LONG);
				ledger.book("a", 1).block(LONG);
				laterLeader();
				assertThatExceptionOfType(LeadershipLostException.class)
					.isThrownBy(() -> ledger.book("a", 5).block(LONG));
				assertThat(this.database.getCollection("accounts").find()).singleElement()
					.satisfies((account) -> assertThat(account).containsEntry("balance", 6));
			});
	}

	@Test
	void days() {
		this.runner.run((context) -> {
			Leadership leadership = new TestTerm("invoices", 7).leadership();
			Candidate days = context.getBean(Candidate.class);
			days.onElected(leadership);
			laterLeader();
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> days.onElected(leadership));
			assertThat(this.database.getCollection("days").countDocuments()).isOne();
		});
	}

	@Test
	void prices() {
		this.runner.run((context) -> {
			TestGate gate = context.getBean(TestGate.class);
			Prices prices = context.getBean(Prices.class);
			for (long term : new long[] { 7, 8 }) {
				gate.lead("invoices", term);
				assertThat(prices.publish("a", (int) term)).isEqualTo(Outcome.APPLIED);
			}
			gate.lead("invoices", 7);
			assertThat(prices.publish("a", 7)).isEqualTo(Outcome.FENCED_OFF);
			assertThat(this.database.getCollection("prices").find())
				.containsExactly(new Document("_id", "a").append("price", 8).append("term", 8L));
		});
	}

	/** Knows of the gated call, and of nothing else. */
	private static LeaderElection elections() {
		LeaderElection elections = Mockito.mock(LeaderElection.class);
		Mockito.when(elections.currentLeadership()).thenAnswer((call) -> TestTerm.current());
		return elections;
	}

	private void laterLeader() {
		new TermFence(this.database).raise(new TestTerm("invoices", 8).leadership());
	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveTransactions {

		@Bean
		ReactiveMongoTransactionManager transactionManager(ReactiveMongoDatabaseFactory factory) {
			return new ReactiveMongoTransactionManager(factory);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ComponentScan(basePackageClasses = Ledger.class,
			excludeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE,
					classes = { ReactiveLedger.class, ReactiveTransactions.class }))
	static class Examples {

	}

}
