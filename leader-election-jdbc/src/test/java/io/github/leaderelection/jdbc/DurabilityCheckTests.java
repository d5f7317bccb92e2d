package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.leaderelection.jdbc.Connections.Lent;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.store.LeaseStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DurabilityCheck}, on PostgreSQL.
 */
class DurabilityCheckTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void startServer() throws IOException {
		postgres = EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.start();
	}

	@AfterAll
	static void stopServer() throws IOException {
		postgres.close();
	}

	@AfterEach
	void reset() throws SQLException {
		execute("ALTER SYSTEM RESET ALL");
		execute("SELECT pg_reload_conf()");
		execute("ALTER ROLE postgres RESET ALL");
	}

	@ParameterizedTest
	@ExtendWith(LogCapture.class)
	@ValueSource(strings = { "off", "local" })
	void weakSynchronousCommitIsReportedOnce(String commit, CapturedLog log) throws SQLException {
		execute("ALTER SYSTEM SET synchronous_standby_names = 'another'");
		execute("SELECT pg_reload_conf()");
		execute("ALTER ROLE postgres SET synchronous_commit = " + commit);
		await().until(() -> !weaknesses().isEmpty());
		JdbcRecordStores stores = new JdbcRecordStores(postgres.getPostgresDatabase());
		for (int i = 0; i < 3; i++) {
			stores.store(LeaseStore.LEASES).now(TIMEOUT);
		}
		await().until(() -> !log.events().isEmpty());
		assertThat(log.events()).singleElement()
			.extracting(ILoggingEvent::getFormattedMessage)
			.asString()
			.startsWith("The database may lose committed changes")
			.contains(": synchronous_commit is %s (set it to on, by ALTER ROLE postgres SET synchronous_commit = on)."
				.formatted(commit));
	}

	@Test
	void serverWithoutStandbysMayCommitLocally() throws SQLException {
		execute("ALTER ROLE postgres SET synchronous_commit = local");
		assertThat(weaknesses()).isEmpty();
	}

	@Test
	void embeddedTestServerIsNotDurable() throws IOException, SQLException {
		try (EmbeddedPostgres careless = EmbeddedPostgres.start()) {
			assertThat(weaknesses(careless)).hasSize(2).first().isEqualTo("fsync is off (set it to on)");
		}
	}

	private static List<String> weaknesses() throws SQLException {
		return weaknesses(postgres);
	}

	private static List<String> weaknesses(EmbeddedPostgres server) throws SQLException {
		try (Lent lent = new Connections(server.getPostgresDatabase()).lend(System.nanoTime() + TIMEOUT.toNanos())) {
			return lent.dialect().weaknesses(lent);
		}
	}

	private static void execute(String sql) throws SQLException {
		try (Connection connection = postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			// There is no standby to wait for.
			statement.execute("SET synchronous_commit = local");
			statement.execute(sql);
		}
	}

}
