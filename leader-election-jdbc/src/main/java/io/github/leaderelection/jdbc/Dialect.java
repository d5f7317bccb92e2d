package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

/**
 * What databases say in different words.
 */
enum Dialect {

	/** PostgreSQL. */
	POSTGRESQL("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", true),

	/** H2. */
	H2("CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", false);

	private final String now;

	private final boolean undoesBatches;

	Dialect(String now, boolean undoesBatches) {
		this.now = now;
		this.undoesBatches = undoesBatches;
	}

	/** Return whether what fails undoes what was sent along with it. */
	boolean undoesBatches() {
		return this.undoesBatches;
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
			default -> throw new UnsupportedOperationException(
					"Records are kept in PostgreSQL and H2, and not in '%s'".formatted(product));
		};
	}

}
