package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

import javax.sql.DataSource;

import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files that create the tables.
 */
class SchemaTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final List<RecordKind> KINDS = List.of(LeaseStore.LEASES, LeaseStore.LOCKS, LeaseStore.SESSIONS,
			CandidateRegistry.CANDIDATES, RecordedJobs.RUNS);

	@Test
	void tablesOfH2StoreAllFields() throws Exception {
		JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");
		try {
			assertKeepsAll(pool, "h2");
		}
		finally {
			pool.dispose();
		}
	}

	@Test
	void tablesOfPostgresStoreAllFields() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
			assertKeepsAll(postgres.getPostgresDatabase(), "postgresql");
			// Other collations change under an index, with the libraries of the system.
			execute(postgres.getPostgresDatabase(), """
					DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM pg_index WHERE indrelid::regclass::text LIKE
					'leader_election_%' AND indcollation[0] <> '"C"'::regcollation); END $$
					""");
		}
	}

	@Test
	@Tag("deep")
	void tablesOfMariaDbStoreAllFields() throws Exception {
		try (MariaDbServer server = MariaDbServer.start()) {
			assertKeepsAll(server.dataSource(), "mariadb");
		}
	}

	private void assertKeepsAll(DataSource dataSource, String database) throws IOException, SQLException {
		String script = script(database);
		execute(dataSource, script);
		execute(dataSource, script);
		JdbcRecordStores stores = new JdbcRecordStores(dataSource);
		for (RecordKind kind : KINDS) {
			RecordStore store = stores.store(kind);
			Map<String, Object> fields = new TreeMap<>();
			kind.fields().forEach((field, type) -> fields.put(field, value(type)));
			StoredRecord record = new StoredRecord("some/id", 1, fields);
			assertThat(store.insert(List.of(record), TIMEOUT)).as(kind.name()).hasSize(1);
			assertThat(store.replace(List.of(record.next(fields)), TIMEOUT)).as(kind.name()).hasSize(1);
			assertThat(store.read(List.of("some/id"), TIMEOUT).records()).containsValue(record.next(fields));
		}
		execute(dataSource, "INSERT INTO leader_election_fence (id, term) VALUES ('%s', 1)".formatted("x".repeat(768)));
	}

	private static Object value(RecordKind.FieldType type) {
		return switch (type) {
			case TEXT -> "x".repeat(1024);
			case NUMBER -> Long.MAX_VALUE;
			case FLAG -> true;
			case DATE -> Instant.parse("2026-03-01T12:00:00.123Z");
		};
	}

	static String script(String database) throws IOException {
		try (InputStream file = JdbcRecordStores.class.getResourceAsStream("schema-%s.sql".formatted(database))) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	static void execute(DataSource dataSource, String script) throws SQLException {
		try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute(script);
		}
	}

}
