package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.InitializeSchema;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.health.LeaderElectionHealthIndicator;
import io.github.leaderelection.integration.DistributedLockProvider;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.jdbc.MariaDbServer;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of everything that an application can use, on relational databases.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionOnJdbcTests {

	private static EmbeddedPostgres postgres;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				JdbcLeaderElectionAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, DistributedLocksAutoConfiguration.class,
				LockRegistryAutoConfiguration.class, LeaderElectionEndpointAutoConfiguration.class,
				LeaderElectionHealthAutoConfiguration.class, LeaderElectionMetricsAutoConfiguration.class,
				MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues("spring.application.name=shop", "leader-election.elections.jobs.stand=true",
				"leader-election.jdbc.initialize-schema=always",
				"management.endpoints.web.exposure.include=leaderelection");

	@BeforeAll
	static void start() throws Exception {
		// As in production: by default an embedded server does not wait for its disk.
		postgres = EmbeddedPostgres.builder().setServerConfig("synchronous_commit", "on").start();
	}

	@AfterAll
	static void stop() throws Exception {
		postgres.close();
	}

	/** Return the URL of a new database. */
	private static String database(String kind) {
		String name = "a" + UUID.randomUUID().toString().replace("-", "");
		if (kind.equals("h2")) {
			return "jdbc:h2:mem:" + name;
		}
		new JdbcTemplate(postgres.getPostgresDatabase()).execute("CREATE DATABASE " + name);
		return postgres.getJdbcUrl("postgres", name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgresql", "h2" })
	void allFeaturesWorkOnJdbc(String kind) {
		assertHasAll(database(kind));
	}

	@Test
	@Tag("deep")
	void allFeaturesWorkOnMariaDb() throws Exception {
		try (MariaDbServer server = MariaDbServer.start()) {
			assertHasAll(server.url("shop"));
		}
	}

	private void assertHasAll(String url) {
		this.contextRunner.withPropertyValues("spring.datasource.url=" + url).run((context) -> {
			assertThat(context).hasNotFailed();
			LeaderElection elections = context.getBean(LeaderElection.class);
			await().until(() -> elections.isLeader("jobs"));
			assertThatJobsAreRecorded(context);
			assertThatLocksExclude(context);
			assertThat(context.getBean(LeaderElectionHealthIndicator.class).health(true).getStatus())
				.isEqualTo(Status.UP);
			await().until(() -> context.getBean(LeaderElectionEndpoint.class)
				.elections()
				.elections()
				.get("jobs")
				.leader() != null);
			assertThat(context.getBean(MeterRegistry.class)
				.get("leader.election.leading")
				.tag("election", "jobs")
				.gauge()
				.value()).isOne();
		});
	}

	private static void assertThatJobsAreRecorded(AssertableApplicationContext context) {
		RecordedJobs jobs = context.getBean(RecordedJobs.class);
		Instant fireTime = Instant.now();
		assertThat(jobs.run("jobs", "report", fireTime, (run) -> {
		})).isEqualTo(JobRuns.Result.RAN);
		assertThat(jobs.run("jobs", "report", fireTime, (run) -> {
		})).isEqualTo(JobRuns.Result.ALREADY_RUN);
		assertThat(jobs.status(new JobKey("jobs", "report")).record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	private static void assertThatLocksExclude(AssertableApplicationContext context) {
		DistributedLocks locks = context.getBean(DistributedLocks.class);
		try (HeldLock lock = locks.tryAcquire("invoice-7").orElseThrow()) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(locks.tryAcquire("invoice-7")).isEmpty();
		}
		LockRegistry<?> registry = context.getBean(LockRegistry.class);
		assertThat(registry.obtain("invoice-8").tryLock()).isTrue();
		assertThat(locks.tryAcquire("invoice-8")).isEmpty();
		registry.obtain("invoice-8").unlock();
		DistributedLockProvider provider = new DistributedLockProvider(locks);
		SimpleLock held = provider
			.lock(new LockConfiguration(Instant.now(), "invoice-9", Duration.ofMinutes(1), Duration.ZERO))
			.orElseThrow();
		assertThat(locks.tryAcquire("invoice-9")).isEmpty();
		held.unlock();
	}

	@Test
	void tablesInASchemaStillPushChanges(CapturedOutput output) {
		String url = database("postgresql");
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("CREATE SCHEMA ops");
		ApplicationContextRunner runner = this.contextRunner.withPropertyValues("spring.datasource.url=" + url,
				"leader-election.jdbc.table-prefix=ops.election_");
		runner.run((first) -> runner.run((second) -> {
			ElectionEngine one = first.getBean(ElectionEngine.class);
			ElectionEngine other = second.getBean(ElectionEngine.class);
			await().until(() -> one.status().pushed() && other.status().pushed());
			await().until(() -> one.isLeader("jobs"));
			await().until(() -> other.leader("jobs").isPresent());
			one.resign("jobs");
			await().until(() -> other.isLeader("jobs"));
			assertThat(JdbcLeaderElectionAutoConfigurationTests.tables(first.getBean(DataSource.class), "ops"))
				.hasSize(6)
				.allMatch((table) -> table.startsWith("election_"));
			await().until(() -> output.getOut().contains("Leases are kept in tables ops.election_* of PostgreSQL 14"));
		}));
		assertThat(output).contains("; changes are pushed");
	}

	@Test
	void closedPoolIsNotReportedAsFailure(CapturedOutput output) {
		Set<Thread> before = watchers();
		this.contextRunner.withPropertyValues("spring.datasource.url=" + database("postgresql"))
			.run((context) -> await().until(() -> context.getBean(ElectionEngine.class).status().pushed()));
		await().atMost(Duration.ofSeconds(30)).until(() -> before.containsAll(watchers()));
		assertThat(output).doesNotContain("marked as broken");
	}

	private static Set<Thread> watchers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("leader-election-watch"))
			.collect(Collectors.toSet());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					url=jdbc:postgresql://127.0.0.1:1/shop?password=s3cret | it can't be reached, SQL state 08001  | Correct the DataSource's URL
					username=nobody | No connection to the database: PSQLException, the user or the password is refused | Correct the DataSource's URL
					username=guest  | ERROR: permission denied for      | Let the user of the DataSource create tables
					""")
	void tablesThatCannotBeCreatedFailTheStart(String setting, String reason, String remedy) {
		new JdbcTemplate(postgres.getPostgresDatabase())
			.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN; CREATE SCHEMA IF NOT EXISTS ops");
		this.contextRunner
			.withPropertyValues(
					"spring.datasource.url=jdbc:postgresql://localhost:%d/postgres".formatted(postgres.getPort()),
					"leader-election.jdbc.table-prefix=ops.election_", "spring.datasource." + setting)
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription())
					.startsWith("leader-election.jdbc.initialize-schema (always) can't create the tables: ")
					.contains(reason)
					.doesNotContain("s3cret");
				assertThat(analysis.getAction()).startsWith(remedy);
			});
	}

	@Test
	void instancesThatStartTogetherCreateTheTablesTogether() throws Exception {
		int instances = 6;
		ExecutorService executor = Executors.newFixedThreadPool(instances);
		try (HikariDataSource dataSource = new HikariDataSource()) {
			dataSource.setJdbcUrl(database("postgresql"));
			CyclicBarrier start = new CyclicBarrier(instances);
			Callable<Boolean> instance = () -> {
				JdbcSchemaInitializer initializer = new JdbcSchemaInitializer(dataSource,
						new JdbcRecordStores(dataSource), InitializeSchema.ALWAYS);
				start.await(30, TimeUnit.SECONDS);
				return initializer.initializeDatabase();
			};
			assertThat(executor.invokeAll(Collections.nCopies(instances, instance)))
				.allSatisfy((result) -> assertThat(result).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true));
		}
		finally {
			executor.shutdownNow();
		}
	}

}
