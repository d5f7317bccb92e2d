package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * What databases say in different words.
 */
enum Dialect {

	/** PostgreSQL. */
	POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),

	/** H2. */
	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)"),

	/** MariaDB and MySQL. */
	MARIADB("CAST(UNIX_TIMESTAMP(CURRENT_TIMESTAMP(3)) * 1000 AS SIGNED)");

	private final String now;

	Dialect(String now) {
		this.now = now;
	}

	/** Return the expression for the time of the database, in milliseconds since 1970. */
	String now() {
		return this.now;
	}

	/**
	 * Return the dialect of a database.
	 * @throws UnsupportedOperationException if it is none of these
	 */
	static Dialect of(Connection connection) throws SQLException {
		String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
		return switch (product) {
			case "postgresql" -> POSTGRESQL;
			case "h2" -> H2;
			case "mariadb", "mysql" -> MARIADB;
			default -> throw new UnsupportedOperationException(
					"records can't be kept in '%s', but in PostgreSQL, MariaDB, MySQL and H2".formatted(product));
		};
	}

}
