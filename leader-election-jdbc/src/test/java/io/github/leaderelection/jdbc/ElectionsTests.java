package io.github.leaderelection.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.LeaseStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of elections, jobs and locks on each database, end to end.
 */
class ElectionsTests {

	/** The tests for each database. */
	@TestInstance(TestInstance.Lifecycle.PER_CLASS)
	abstract static class OnDatabase {

		private final String name;

		private final Callable<Server> starting;

		private Server server;

		private JdbcRecordStores stores;

		/** Separate for each test. */
		private String prefix;

		OnDatabase(String name, Callable<Server> starting) {
			this.name = name;
			this.starting = starting;
		}

		@BeforeAll
		void start() throws Exception {
			this.server = this.starting.call();
			execute(SchemaTests.script(this.name));
			this.stores = new JdbcRecordStores(this.server.dataSource());
		}

		@AfterAll
		void stop() throws Exception {
			this.server.closing().close();
		}

		@BeforeEach
		void setPrefix(TestInfo test) {
			this.prefix = test.getTestMethod().orElseThrow().getName() + "/";
		}

		@Test
		void resigningLeaderIsSucceededInALaterTerm() {
			try (ElectionEngine first = engine(); ElectionEngine second = engine()) {
				ElectionEngine leader = leader(first, second);
				ElectionEngine follower = (leader == first) ? second : first;
				await().until(() -> follower.leader("jobs").isPresent());
				long term = leader.leadership("jobs").orElseThrow().term();
				assertThat(leader.resign("jobs")).isTrue();
				await().until(() -> follower.isLeader("jobs"));
				assertThat(follower.leadership("jobs").orElseThrow().term()).isEqualTo(term + 1);
			}
		}

		@Test
		void temporarilyMissingTableCostsOnlyTheTerm() throws Exception {
			try (ElectionEngine engine = engine()) {
				await().until(() -> engine.isLeader("jobs"));
				long term = engine.leadership("jobs").orElseThrow().term();
				execute("ALTER TABLE leader_election_sessions RENAME TO away");
				await().until(() -> !engine.isLeader("jobs"));
				execute("ALTER TABLE away RENAME TO leader_election_sessions");
				await().atMost(Duration.ofSeconds(30)).until(() -> engine.isLeader("jobs"));
				assertThat(engine.leadership("jobs").orElseThrow().term()).isGreaterThan(term);
			}
		}

		@Test
		void fireTimeIsStartedOnceAcrossLeaders() {
			Instant fireTime = Instant.parse("2026-03-01T03:00:00Z");
			try (ElectionEngine first = engine(); ElectionEngine second = engine()) {
				ElectionEngine leader = leader(first, second);
				ElectionEngine follower = (leader == first) ? second : first;
				assertThat(run(leader, fireTime, null)).isEqualTo(Result.RAN);
				assertThat(run(leader, fireTime, null)).isEqualTo(Result.ALREADY_RUN);
				leader.resign("jobs");
				await().until(() -> follower.isLeader("jobs"));
				assertThat(run(follower, fireTime, null)).isEqualTo(Result.ALREADY_RUN);
				assertThat(run(follower, fireTime.plusSeconds(1), Outcome.SUCCEEDED)).isEqualTo(Result.RAN);
			}
		}

		private Result run(ElectionEngine engine, Instant fireTime, Outcome previous) {
			try (RecordedJobs jobs = new RecordedJobs(() -> engine, this.stores.store(RecordedJobs.RUNS), this.prefix,
					List.of(), EngineClock.SYSTEM)) {
				return jobs.run("jobs", "report", fireTime,
						(run) -> assertThat(jobs.previousRun().map(JobRun::outcome).orElse(null)).isEqualTo(previous));
			}
		}

		@Test
		void lockExcludesOthersUntilItIsClosed() throws Exception {
			try (LockService one = locks(); LockService other = locks()) {
				HeldLock held = one.acquire("report", Duration.ofSeconds(30));
				assertThat(other.tryAcquire("report")).isEmpty();
				held.close();
				other.acquire("report", Duration.ofSeconds(30)).close();
			}
		}

		private LockService locks() {
			return new LockService(LeaseStore.forLocks(this.stores, this.prefix));
		}

		private ElectionEngine engine() {
			ElectionEngine engine = ElectionEngine.builder(LeaseStore.forElections(this.stores, this.prefix))
				.settings(ElectionSettings.of(Duration.ofSeconds(3)))
				.build();
			engine.stand("jobs");
			engine.start();
			return engine;
		}

		private static ElectionEngine leader(ElectionEngine first, ElectionEngine second) {
			await().until(() -> first.isLeader("jobs") || second.isLeader("jobs"));
			return first.isLeader("jobs") ? first : second;
		}

		private void execute(String sql) throws Exception {
			SchemaTests.execute(this.server.dataSource(), sql);
		}

	}

	@Nested
	class OnH2 extends OnDatabase {

		OnH2() {
			super("h2", () -> {
				JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");
				return new Server(pool, pool::dispose);
			});
		}

	}

	@Nested
	class OnPostgres extends OnDatabase {

		OnPostgres() {
			super("postgresql", () -> {
				EmbeddedPostgres postgres = EmbeddedPostgres.start();
				return new Server(postgres.getPostgresDatabase(), postgres);
			});
		}

	}

	@Nested
	@Tag("deep")
	class OnMariaDb extends OnDatabase {

		OnMariaDb() {
			super("mariadb", () -> {
				MariaDbServer server = MariaDbServer.start();
				return new Server(server.dataSource(), server);
			});
		}

	}

	/** A server that was started. */
	record Server(DataSource dataSource, AutoCloseable closing) {

	}

}
