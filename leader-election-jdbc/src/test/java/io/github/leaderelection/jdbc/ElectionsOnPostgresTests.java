package io.github.leaderelection.jdbc;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.LeaseStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Elections and locks on PostgreSQL, from one end to the other.
 */
class ElectionsOnPostgresTests {

	private EmbeddedPostgres postgres;

	private JdbcRecordStores stores;

	@BeforeEach
	void start() throws Exception {
		this.postgres = EmbeddedPostgres.start();
		try (InputStream file = JdbcRecordStores.class.getResourceAsStream("schema-postgresql.sql");
				Connection connection = this.postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(new String(file.readAllBytes(), StandardCharsets.UTF_8));
		}
		this.stores = new JdbcRecordStores(this.postgres.getPostgresDatabase());
	}

	@AfterEach
	void stop() throws Exception {
		this.postgres.close();
	}

	@Test
	void whoResignsIsFollowedAtOnceAndUnderALaterTerm() {
		try (ElectionEngine first = engine(); ElectionEngine second = engine()) {
			List<ElectionEngine> both = List.of(first, second);
			await().until(() -> both.stream().anyMatch((engine) -> engine.isLeader("jobs")));
			await().until(() -> both.stream().allMatch((engine) -> engine.status().pushed()));
			ElectionEngine leader = first.isLeader("jobs") ? first : second;
			ElectionEngine follower = (leader == first) ? second : first;
			await().until(() -> follower.leader("jobs").isPresent());
			long term = leader.leadership("jobs").orElseThrow().term();
			assertThat(leader.resign("jobs")).isTrue();
			await().until(() -> follower.isLeader("jobs"));
			assertThat(follower.leadership("jobs").orElseThrow().term()).isEqualTo(term + 1);
		}
	}

	@Test
	void serverThatIsAwayForAWhileCostsTheTermAndNothingElse() throws Exception {
		try (ElectionEngine engine = engine()) {
			await().until(() -> engine.isLeader("jobs"));
			long term = engine.leadership("jobs").orElseThrow().term();
			try (Connection connection = this.postgres.getPostgresDatabase().getConnection();
					Statement statement = connection.createStatement()) {
				statement.execute("ALTER TABLE leader_election_sessions RENAME TO away");
				await().until(() -> !engine.isLeader("jobs"));
				statement.execute("ALTER TABLE away RENAME TO leader_election_sessions");
			}
			await().atMost(Duration.ofSeconds(30)).until(() -> engine.isLeader("jobs"));
			assertThat(engine.leadership("jobs").orElseThrow().term()).isGreaterThan(term);
		}
	}

	@Test
	void lockExcludesOthersUntilItIsClosed() throws Exception {
		try (LockService one = LockService.builder(LeaseStore.forLocks(this.stores, "")).build();
				LockService other = LockService.builder(LeaseStore.forLocks(this.stores, "")).build()) {
			HeldLock held = one.acquire("report", Duration.ofSeconds(30));
			assertThat(other.tryAcquire("report")).isEmpty();
			held.close();
			await().until(() -> other.tryAcquire("report").isPresent());
		}
	}

	private ElectionEngine engine() {
		ElectionEngine engine = ElectionEngine.builder(LeaseStore.forElections(this.stores, ""))
			.settings(ElectionSettings.of(Duration.ofSeconds(3)))
			.build();
		engine.stand("jobs");
		engine.start();
		return engine;
	}

}
