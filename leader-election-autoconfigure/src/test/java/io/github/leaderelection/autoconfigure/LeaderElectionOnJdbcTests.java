package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.UUID;

import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.store.RecordStores;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the auto-configuration with a relational database.
 */
class LeaderElectionOnJdbcTests {

	private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");

	@BeforeEach
	void createTables() throws IOException, SQLException {
		try (InputStream file = JdbcRecordStores.class.getResourceAsStream("schema-h2.sql");
				Connection connection = this.pool.getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(new String(file.readAllBytes(), StandardCharsets.UTF_8));
		}
	}

	@AfterEach
	void close() {
		this.pool.dispose();
	}

	@Test
	void electionsJobsAndLocksNeedNothingButTheStore() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
					DistributedLocksAutoConfiguration.class))
			.withBean(RecordStores.class, () -> new JdbcRecordStores(this.pool))
			.withPropertyValues("leader-election.elections.jobs.stand=true")
			.run((context) -> {
				LeaderElection elections = context.getBean(LeaderElection.class);
				await().until(() -> elections.isLeader("jobs"));
				RecordedJobs jobs = context.getBean(RecordedJobs.class);
				Instant fireTime = Instant.now();
				assertThat(jobs.run("jobs", "report", fireTime, (run) -> {
				})).isEqualTo(JobRuns.Result.RAN);
				assertThat(jobs.run("jobs", "report", fireTime, (run) -> {
				})).isEqualTo(JobRuns.Result.ALREADY_RUN);
				assertThat(jobs.status(new JobKey("jobs", "report")).record().last().outcome())
					.isEqualTo(Outcome.SUCCEEDED);
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				try (HeldLock lock = locks.tryAcquire("invoice-7").orElseThrow()) {
					assertThat(lock.isHeld()).isTrue();
				}
			});
	}

}
