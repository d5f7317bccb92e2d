package io.github.leaderelection.docs;

import java.nio.charset.StandardCharsets;

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
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that the page on relational databases grants sufficient privileges.
 */
class JdbcPageTests {

	@Test
	void privilegesSuffice() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
			JdbcTemplate owner = new JdbcTemplate(postgres.getPostgresDatabase());
			owner.execute(new ClassPathResource("schema-postgresql.sql", JdbcRecordStores.class)
				.getContentAsString(StandardCharsets.UTF_8));
			owner.execute("CREATE ROLE shop LOGIN PASSWORD 'secret'");
			owner.execute(Page.of("docs/jdbc.md").snippets("sql").get(0).text());
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
