package io.github.leaderelection.jdbc;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a record store, on MariaDB, with options of the driver that change what
 * it answers.
 */
@Tag("deep")
@ParameterizedClass
@ValueSource(strings = { "", "&useAffectedRows=true&useBulkStmts=true", "&transactionIsolation=SERIALIZABLE" })
class MariaDbRecordStoreTests extends JdbcRecordStoreContractTests {

	private static MariaDbServer server;

	private final HikariDataSource dataSource;

	MariaDbRecordStoreTests(String options) {
		this.dataSource = server.dataSource(options);
	}

	@BeforeAll
	static void start() throws Exception {
		server = MariaDbServer.start();
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	@AfterEach
	void close() {
		this.dataSource.close();
	}

	@Override
	DataSource dataSource() {
		return this.dataSource;
	}

	@Override
	String tableOptions() {
		return "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";
	}

}
