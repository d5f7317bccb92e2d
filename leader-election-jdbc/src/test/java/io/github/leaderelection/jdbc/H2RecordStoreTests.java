package io.github.leaderelection.jdbc;

import java.util.UUID;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;

/**
 * The contract of a record store, on H2.
 */
class H2RecordStoreTests extends JdbcRecordStoreContractTests {

	private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID(), "sa", "");

	@Override
	DataSource dataSource() {
		return this.pool;
	}

	@AfterEach
	void close() {
		this.pool.dispose();
	}

}
