package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link JdbcLeaderElectionAutoConfiguration}, on H2.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcLeaderElectionAutoConfigurationTests {

	/** Nothing listens here. */
	private static final String CLOSED_PORT = "mongodb://127.0.0.1:1/shop";

	private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLeaderElectionAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, DistributedLocksAutoConfiguration.class))
		.withPropertyValues("leader-election.elections.x.ttl=1s", "leader-election.elections.x.stand=true");

	private final ApplicationContextRunner withDataSource = this.withoutDataSource
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

	private final ApplicationContextRunner withBoth = this.withDataSource
		.withConfiguration(
				AutoConfigurations.of(MongoLeaderElectionAutoConfiguration.class, MongoAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT);

	@Test
	void embeddedDatabaseNeedsNothing() {
		this.withDataSource.run((context) -> {
			assertThat(context).hasSingleBean(JdbcRecordStores.class);
			await().until(() -> context.getBean(LeaderElection.class).isLeader("x"));
			assertThat(tables(context.getBean(DataSource.class), "PUBLIC")).contains("leader_election_leases");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "My Tables", "a_schema_whose_name_is_rather_a_long_one_indeed.leader_election_" })
	void invalidTablePrefixFailsTheStart(String prefix) {
		this.withDataSource.withPropertyValues("leader-election.jdbc.table-prefix=" + prefix)
			.run((context) -> FailureAnalyses.assertFailure(context,
					"leader-election.jdbc.table-prefix (%s) is not a valid table prefix.".formatted(prefix),
					"Use up to 40 lower-case letters"));
	}

	@Test
	void missingTablesAreReportedOnceWithTheRemedy(CapturedOutput output) {
		this.withDataSource.withPropertyValues("leader-election.jdbc.initialize-schema=never").run((context) -> {
			await().until(() -> output.getOut().contains("A leader election table is missing"));
			DataSource dataSource = context.getBean(DataSource.class);
			new JdbcTemplate(dataSource).execute(new JdbcRecordStores(dataSource)
				.schema(new String(JdbcRecordStores.class.getResourceAsStream("schema-h2.sql").readAllBytes())));
			await().until(() -> context.getBean(LeaderElection.class).isLeader("x"));
		});
		assertThat(output).containsOnlyOnce("A leader election table is missing")
			.contains("set leader-election.jdbc.initialize-schema=always");
	}

	@Test
	void storeIsDescribed(CapturedOutput output) {
		this.withDataSource.withPropertyValues("leader-election.elections.feed.ttl=800ms")
			.run((context) -> await()
				.until(() -> output.getOut().contains("Leases are kept in tables leader_election_* of H2 2")));
		assertThat(output).contains("changes are polled (this database does not push changes)")
			.contains(
					"The connection pool lets a call wait for 30 s, longer than the shortest operation-timeout of an election (200 ms)");
	}

	/** As where an application has no URL, and Spring Boot makes a database. */
	@Test
	void h2InMemoryCausesWarning(CapturedOutput output) {
		this.withDataSource.run((context) -> await()
			.until(() -> output.getOut().contains("each instance that has its own leads all elections")));
	}

	@Test
	void h2FileCausesWarning(CapturedOutput output, @org.junit.jupiter.api.io.TempDir java.nio.file.Path directory) {
		this.withDataSource
			.withPropertyValues("spring.datasource.url=jdbc:h2:file:" + directory.resolve("leases"),
					"leader-election.jdbc.initialize-schema=always")
			.run((context) -> await().until(() -> output.getOut()
				.contains("may lose committed changes, and with them who leads in which term: H2 "
						+ "writes to its file with a delay of 500 ms")));
	}

	@Test
	void startsWhileTheDatabaseIsDown() {
		this.withDataSource.withPropertyValues("spring.datasource.url=jdbc:h2:tcp://127.0.0.1:1/shop")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LeaderElection.class).isLeader("x")).isFalse();
			});
	}

	@Test
	void poolWithoutSpareConnectionFailsTheStart() {
		ApplicationContextRunner small = this.withDataSource
			.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1");
		small.run((context) -> await().until(() -> context.getBean(LeaderElection.class).isLeader("x")));
		small.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/shop")
			.run((context) -> FailureAnalyses.assertFailure(context,
					"maximum-pool-size of the DataSource (1) leaves no connection for calls: ",
					"Raise it, for example with spring.datasource.hikari."));
	}

	@Test
	void markedDataSourceIsUsed() {
		this.withoutDataSource.withUserConfiguration(MarkedDataSource.class).run((context) -> {
			await().until(() -> context.getBean(LeaderElection.class).isLeader("x"));
			assertThat(tables(context.getBean("marked", DataSource.class), "PUBLIC")).isNotEmpty();
			assertThat(tables(context.getBean("primary", DataSource.class), "PUBLIC")).isEmpty();
		});
	}

	@Test
	void noDataSourceFailsTheStart() {
		this.withoutDataSource.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription())
				.startsWith("Leader election is enabled, but there is neither a DataSource bean nor a bean of type");
			assertThat(analysis.getAction()).contains("set spring.datasource.url")
				.contains("Set leader-election.enabled=false");
		});
	}

	@Test
	void severalDataSourcesFailTheStart() {
		this.withoutDataSource.withBean("one", DataSource.class, JdbcDataSource::new)
			.withBean("other", DataSource.class, JdbcDataSource::new)
			.run((context) -> FailureAnalyses.assertFailure(context,
					"Leader election is enabled, but there are several "
							+ "DataSource beans and none is primary: one, other.",
					"Mark the DataSource whose database is to keep the leases as @LeaderElectionDataSource"));
	}

	@Test
	void twoStoresWithoutStorePropertyFailTheStart() {
		this.withBoth.run((context) -> FailureAnalyses.assertFailure(context,
				"leader-election.store (not set) must be 'mongodb' or 'jdbc', since leader-election-mongodb and",
				"Set it to the store that all instances use"));
	}

	@Test
	void storePropertySelectsTheStore() {
		this.withBoth.withPropertyValues("leader-election.store=jdbc").run((context) -> {
			assertThat(context).hasSingleBean(JdbcRecordStores.class).doesNotHaveBean(MongoRecordStores.class);
			await().until(() -> context.getBean(LeaderElection.class).isLeader("x"));
		});
		this.withBoth.withPropertyValues("leader-election.store=mongodb")
			.run((context) -> assertThat(context).hasSingleBean(MongoRecordStores.class)
				.doesNotHaveBean(JdbcRecordStores.class)
				.doesNotHaveBean(JdbcSchemaInitializer.class));
	}

	@Test
	void storePropertyIsNotNeededForASingleStore() {
		this.withBoth.withClassLoader(new FilteredClassLoader(MongoRecordStores.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(JdbcRecordStores.class));
		this.withBoth.withClassLoader(new FilteredClassLoader(JdbcRecordStores.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoRecordStores.class));
		this.withoutDataSource
			.withConfiguration(
					AutoConfigurations.of(MongoLeaderElectionAutoConfiguration.class, MongoAutoConfiguration.class))
			.withPropertyValues("spring.mongodb.uri=" + CLOSED_PORT)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(MongoRecordStores.class));
	}

	@Test
	void selectedStoreThatIsMissingFailsTheStart() {
		this.withBoth.withPropertyValues("leader-election.store=jdbc")
			.withClassLoader(new FilteredClassLoader(JdbcRecordStores.class))
			.run((context) -> assertThat(FailureAnalyses.of(context))
				.extracting(FailureAnalysis::getDescription, FailureAnalysis::getAction)
				.asString()
				.contains("nor is leader-election-jdbc on the class path",
						"Depend on leader-election-starter-jdbc, or remove leader-election.store=jdbc"));
	}

	@Test
	void backsOffForStoresOfTheApplication() {
		this.withBoth.withBean(RecordStores.class, InMemoryRecordStores::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(RecordStores.class)
				.doesNotHaveBean(JdbcRecordStores.class)
				.doesNotHaveBean(JdbcSchemaInitializer.class));
	}

	@Test
	void doesNotTouchTheDatabaseWhenDisabled() {
		this.withBoth.withPropertyValues("leader-election.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(RecordStores.class)
				.doesNotHaveBean(JdbcSchemaInitializer.class));
	}

	static List<String> tables(DataSource dataSource, String schema) {
		return new JdbcTemplate(dataSource).queryForList(
				"SELECT LOWER(table_name) FROM information_schema.tables WHERE table_schema = ?", String.class, schema);
	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedDataSource {

		@Bean
		@Primary
		HikariDataSource primary() {
			return inMemory();
		}

		@Bean(defaultCandidate = false)
		@LeaderElectionDataSource
		HikariDataSource marked() {
			return inMemory();
		}

		private static HikariDataSource inMemory() {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
			return dataSource;
		}

	}

}
