package io.github.leaderelection.fence.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

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

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoReactiveAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.data.mongodb.ReactiveMongoDatabaseFactory;
import org.springframework.data.mongodb.ReactiveMongoTransactionManager;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the code that the page about fencing shows.
 */
class FencingPageTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Path SOURCES = Path.of("src/test/java/io/github/leaderelection/fence/example");

	private static final String TABLE = "CREATE TABLE leader_election_fence (id VARCHAR(1024) PRIMARY KEY, term BIGINT NOT NULL)";

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
				+ Files.readString(Path.of("../docs/fencing-reactive.md"))
				+ Files.readString(Path.of("../docs/fencing-sql.md")))
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

	/** With the default, a skipped call, the booking would be lost without an error. */
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

	@Test
	void accounts() throws IOException {
		assertThat(Files.readString(Path.of("../docs/fencing-sql.md"))).contains(TABLE);
		relational((context, sql) -> {
			context.getBean(TestGate.class).lead("invoices", 7);
			Accounts accounts = context.getBean(Accounts.class);
			accounts.book("a", 5);
			sql.sql("UPDATE leader_election_fence SET term = 8 WHERE id = 'invoices'").update();
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> accounts.book("a", 5));
			assertThat(sql.sql("SELECT balance FROM accounts").query(Integer.class).single()).isEqualTo(5);
		});
	}

	@Test
	void priceTable() {
		relational((context, sql) -> {
			TestGate gate = context.getBean(TestGate.class);
			PriceTable prices = context.getBean(PriceTable.class);
			for (long term : new long[] { 7, 8 }) {
				gate.lead("invoices", term);
				assertThat(prices.publish("a", (int) term)).isTrue();
			}
			gate.lead("invoices", 7);
			assertThat(prices.publish("a", 7)).isFalse();
			assertThat(sql.sql("SELECT price FROM prices WHERE term = 8").query(Integer.class).single()).isEqualTo(8);
		});
	}

	private static void relational(BiConsumer<ApplicationContext, JdbcClient> test) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					JdbcClientAutoConfiguration.class, TransactionAutoConfiguration.class,
					LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withBean(TestGate.class)
			.withBean(LeaderElection.class, FencingPageTests::elections)
			.withBean(Accounts.class)
			.withBean(PriceTable.class)
			.withInitializer((context) -> context
				.addBeanFactoryPostProcessor((beanFactory) -> beanFactory.addBeanPostProcessor(new Tables())))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				test.accept(context, context.getBean(JdbcClient.class));
			});
	}

	/** Return elections that know only the gated call. */
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

	/** Creates the tables before anything else uses the database. */
	private static final class Tables implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (bean instanceof DataSource dataSource) {
				JdbcClient sql = JdbcClient.create(dataSource);
				sql.sql(TABLE).update();
				sql.sql("CREATE TABLE accounts (id VARCHAR(10), balance INT)").update();
				sql.sql("INSERT INTO accounts VALUES ('a', 0)").update();
				sql.sql("CREATE TABLE prices (id VARCHAR(10), price INT, term BIGINT)").update();
				sql.sql("INSERT INTO prices VALUES ('a', 0, 0)").update();
			}
			return bean;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ComponentScan(basePackageClasses = Ledger.class,
			excludeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE,
					classes = { ReactiveLedger.class, ReactiveTransactions.class, Accounts.class, PriceTable.class }))
	static class Examples {

	}

}
