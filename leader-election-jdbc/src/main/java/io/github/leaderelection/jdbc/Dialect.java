package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.github.leaderelection.jdbc.Connections.Lent;
import io.github.leaderelection.store.LeaseStoreException;

/**
 * The SQL that differs between databases.
 */
enum Dialect {

	/** PostgreSQL. Every user can read all these settings. */
	POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", true, """
			SELECT 'fsync is off (set it to on)' WHERE current_setting('fsync') = 'off'
			UNION ALL SELECT 'synchronous_commit is ' || current_setting('synchronous_commit')
					|| ' (set it to on, by ALTER ROLE ' || quote_ident(current_user) || ' SET synchronous_commit = on)'
				WHERE current_setting('synchronous_commit') = 'off'
					OR (current_setting('synchronous_commit') = 'local'
						AND current_setting('synchronous_standby_names') <> '')
			"""),

	/**
	 * MariaDB. Without a strict mode it truncates values that are too long. With a binary
	 * log, it relies on that for recovery where its own log does not wait for the disk.
	 */
	MARIADB("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000", false, """
			SELECT CONCAT('innodb_flush_log_at_trx_commit is ', @@innodb_flush_log_at_trx_commit, ' (set it to 1)')
				FROM DUAL WHERE @@innodb_flush_log_at_trx_commit NOT IN (1, 3)
			UNION ALL SELECT CONCAT('sync_binlog is ', @@sync_binlog, ' (set it to 1)')
				FROM DUAL WHERE @@log_bin AND @@sync_binlog <> 1 AND @@innodb_flush_log_at_trx_commit <> 3
			UNION ALL SELECT 'sql_mode is not strict (add STRICT_TRANS_TABLES)'
				FROM DUAL WHERE @@sql_mode NOT LIKE '%STRICT_%'
			"""),

	/** H2. A database in memory usually belongs to one process. */
	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", false, """
			SELECT 'H2 writes to its file with a delay of ' || SETTING_VALUE || ' ms (use it for development only)'
			FROM INFORMATION_SCHEMA.SETTINGS
			WHERE SETTING_NAME = 'WRITE_DELAY' AND SETTING_VALUE <> '0' AND DATABASE_PATH() IS NOT NULL
			UNION ALL SELECT 'H2 keeps it in the memory of one process, and each instance that has its own leads '
					|| 'all elections (use a database that all instances share)'
				WHERE DATABASE_PATH() IS NULL
			""");

	private final String now;

	private final boolean batches;

	private final String weaknesses;

	Dialect(String now, boolean batches, String weaknesses) {
		this.now = now;
		this.batches = batches;
		this.weaknesses = weaknesses;
	}

	/**
	 * Return whether to send several changes as a batch, of which all or none take
	 * effect; if there are very many, however, the driver may send some of them ahead.
	 * With other databases the number of rows that each change affected may be unknown,
	 * and it depends on options of the driver what becomes of the other changes when one
	 * fails.
	 */
	boolean batches() {
		return this.batches;
	}

	/** Return the expression for the time of the database, in milliseconds since 1970. */
	String now() {
		return this.now;
	}

	/**
	 * Return the same expression for a statement that changes something. On PostgreSQL,
	 * it also limits how long the statement may wait for a lock. Canceling the statement
	 * is no alternative: that would also end the wait for a synchronous standby, and
	 * PostgreSQL would then report success although the standby may not have the change.
	 * @param timeout how long the statement may take; it may wait for locks for most of
	 * that
	 */
	String now(Duration timeout) {
		// Rounded, so that few different statements are prepared.
		long patience = Math.max(10, timeout.toMillis() * 4 / 5 / 100 * 100);
		// Not with a format: its digits depend on the default locale.
		return (this != POSTGRESQL) ? this.now
				: this.now + " + 0 * length(set_config('lock_timeout', '" + patience + "', true))";
	}

	/**
	 * Find the settings that let the database lose changes that it has acknowledged, as
	 * far as the user may read them.
	 * @return the weaknesses, each with its remedy in parentheses
	 */
	List<String> weaknesses(Lent lent) throws SQLException {
		List<String> texts = new ArrayList<>();
		try (PreparedStatement statement = lent.prepare(this.weaknesses); ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				texts.add(rows.getString(1));
			}
		}
		return List.copyOf(texts);
	}

	/**
	 * Return the dialect of a database.
	 * @throws LeaseStoreException if the database is not supported
	 */
	static Dialect of(Connection connection) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
		return switch (product) {
			case "postgresql" -> POSTGRESQL;
			case "mariadb" -> MARIADB;
			case "h2" -> H2;
			default -> throw new LeaseStoreException(
					"Database '%s' is not supported. Use PostgreSQL, MariaDB or H2".formatted(product), null);
		};
	}

}
