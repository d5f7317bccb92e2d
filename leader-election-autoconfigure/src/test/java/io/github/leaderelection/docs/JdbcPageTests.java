package io.github.leaderelection.docs;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;

import io.github.leaderelection.autoconfigure.DistributedLocksAutoConfiguration;
import io.github.leaderelection.autoconfigure.JdbcLeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page on relational databases grants enough.
 */
class JdbcPageTests {

	@Test
	void privilegesSuffice() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
			try (InputStream schema = JdbcRecordStores.class.getResourceAsStream("schema-postgresql.sql");
					Connection owner = postgres.getPostgresDatabase().getConnection();
					Statement statement = owner.createStatement()) {
				statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
				statement.execute("CREATE ROLE shop LOGIN PASSWORD 'secret'");
				statement.execute(Page.of("docs/jdbc.md").snippets("sql").get(0).text());
			}
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						JdbcLeaderElectionAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
						DistributedLocksAutoConfiguration.class))
				.withPropertyValues("spring.datasource.url=" + postgres.getJdbcUrl("shop", "postgres"),
						"spring.datasource.username=shop", "spring.datasource.password=secret",
						"leader-election.jdbc.initialize-schema=never", "leader-election.elections.jobs.stand=true")
				.run((context) -> {
					ElectionEngine engine = context.getBean(ElectionEngine.class);
					await().until(() -> engine.isLeader("jobs"));
					await().until(() -> engine.status().pushed());
					await().until(() -> !engine.status().candidates().isEmpty());
					try (HeldLock lock = context.getBean(DistributedLocks.class)
						.tryAcquire("invoice-7")
						.orElseThrow()) {
						assertThat(lock.isHeld()).isTrue();
					}
					assertThat(engine.resign("jobs")).isTrue();
					assertThat(engine.status().outage()).isNull();
				});
		}
	}

}
