package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.StoredRecord;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of a record store, on PostgreSQL.
 */
class PostgresRecordStoreTests extends JdbcRecordStoreContractTests {

	private static EmbeddedPostgres postgres;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@AfterAll
	static void stop() throws IOException {
		postgres.close();
	}

	@Override
	DataSource dataSource() {
		return postgres.getPostgresDatabase();
	}

	@Test
	void serverHasTheConfiguredVersion() throws SQLException {
		try (Connection connection = dataSource().getConnection()) {
			assertThat(connection.getMetaData().getDatabaseMajorVersion())
				.isEqualTo(Integer.getInteger("postgres.version", 14));
		}
	}

	@BeforeEach
	void notifyOfChanges() throws SQLException {
		execute("""
				CREATE OR REPLACE FUNCTION leader_election_notify() RETURNS TRIGGER LANGUAGE plpgsql AS
				'BEGIN PERFORM pg_notify(TG_ARGV[0], TG_OP || '' '' || COALESCE(NEW.id, OLD.id)); RETURN NULL; END'
				""");
		execute("""
				CREATE OR REPLACE TRIGGER test_records_notify AFTER INSERT OR UPDATE OR DELETE ON test_records
				FOR EACH ROW EXECUTE FUNCTION leader_election_notify('test_records')
				""");
	}

	@Test
	void fixableErrorIsReportedWithTheRemedy() throws SQLException {
		execute("DROP ROLE IF EXISTS stranger");
		execute("CREATE ROLE stranger LOGIN");
		RecordStore store = new JdbcRecordStores(postgres.getDatabase("stranger", "postgres"), "test_").store(KIND);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> store.insert(List.of(record(ID, 1, "first")), TIMEOUT))
			.withMessageContaining("(grant SELECT, INSERT, UPDATE and DELETE on it)");
		execute("ALTER ROLE stranger SET default_transaction_read_only = on");
		execute("GRANT ALL ON test_records TO stranger");
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> store.insert(List.of(record(ID, 1, "first")), TIMEOUT))
			.withMessageStartingWith("The database is read-only, like a replica: ERROR: cannot execute INSERT in a")
			.withMessageContaining("targetServerType=primary");
		execute("DROP OWNED BY stranger");
	}

	/** Otherwise a listener would believe for ever that nothing changes. */
	@Test
	void watchRequiresATriggerThatNotifies() throws SQLException {
		store().watch().close();
		execute("ALTER TABLE test_records DISABLE TRIGGER test_records_notify");
		assertCannotBeWatched();
		execute("""
				CREATE OR REPLACE TRIGGER test_records_notify AFTER INSERT OR UPDATE OR DELETE ON test_records
				FOR EACH ROW EXECUTE FUNCTION leader_election_notify('test')
				""");
		assertCannotBeWatched();
		execute("DROP TRIGGER test_records_notify ON test_records");
		assertCannotBeWatched();
	}

	private void assertCannotBeWatched() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> store().watch())
			.withMessageContaining("create it as schema-postgresql.sql does");
	}

	@Test
	void tablesOfASchemaAreWatched() throws Exception {
		execute("CREATE SCHEMA ops");
		JdbcRecordStores stores = new JdbcRecordStores(dataSource(), "ops.leader_election_leader_election_");
		execute(stores.schema(SchemaTests.script("postgresql")));
		stores.store(LeaseStore.LEASES).watch().close();
		stores.store(LeaseStore.LOCKS).watch().close();
	}

	@Test
	void idOutsideTheEncodingDoesNotAffectOthers() throws Exception {
		execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
		DataSource latin = postgres.getDatabase("postgres", "latin");
		SchemaTests.execute(latin, SchemaTests.script("postgresql"));
		RecordStore store = new JdbcRecordStores(latin).store(LeaseStore.LEASES);
		List<StoredRecord> both = Stream.of("one", "x\u2013y").map((id) -> new StoredRecord(id, 1, Map.of())).toList();
		// The second time one of them exists.
		assertThat(store.insert(both, TIMEOUT)).containsExactly("one");
		assertThat(store.insert(both, TIMEOUT)).isEmpty();
		RecordReading reading = store.read(List.of("one", "two", "x\u2013y"), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys("one");
		assertThat(reading.damaged()).containsOnlyKeys("x\u2013y")
			.allSatisfy((id, damage) -> assertThat(damage).endsWith("has no equivalent in encoding \"LATIN1\" "
					+ "(use a database with encoding UTF8, or names that its encoding can express)"));
		assertThat(store.find(new RecordQuery("x\u2013y", Duration.ZERO, 10), TIMEOUT).records()).isEmpty();
		assertThat(store.sum(List.of("x\u2013y"), TIMEOUT)).isEmpty();
	}

}
