package io.github.leaderelection.jdbc;

import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStores;

/**
 * {@link RecordStores} in a relational database, PostgreSQL, MariaDB or H2, with one
 * table for each kind of record. The tables must exist. Scripts next to this class, such
 * as {@code schema-postgresql.sql}, create them.
 * <p>
 * Each call takes a connection of its own and never joins a transaction of the caller.
 * Safe for use by several threads.
 */
public final class JdbcRecordStores implements RecordStores {

	/**
	 * The default prefix of the names of the tables.
	 */
	public static final String TABLES = "leader_election_";

	private static final Pattern TABLE = Pattern.compile("(TABLE IF NOT EXISTS |ON |FUNCTION |')?" + TABLES);

	/**
	 * Prefix and kind together name a channel, for which PostgreSQL allows 63 bytes.
	 */
	private static final Pattern PREFIX = Pattern.compile("(?=.{1,57}$)([a-z][a-z0-9_]{0,62}\\.)?[a-z][a-z0-9_]{0,39}");

	private final Map<String, RecordStore> stores = new ConcurrentHashMap<>();

	private final Connections connections;

	private final String prefix;

	/**
	 * Create stores on tables whose names begin with {@value #TABLES}. Does no I/O.
	 * @param dataSource the source of connections; must not return the connection of a
	 * transaction that the calling thread is in
	 */
	public JdbcRecordStores(DataSource dataSource) {
		this(dataSource, TABLES);
	}

	/**
	 * Create stores on tables with other names. Does no I/O.
	 * @param dataSource the source of connections; must not return the connection of a
	 * transaction that the calling thread is in
	 * @param prefix the prefix of the names of the tables: a lower-case letter and up to
	 * 39 lower-case letters, digits and underscores, after a schema and a dot if need be;
	 * at most 57 characters in all
	 * @throws IllegalArgumentException if the prefix is not valid
	 */
	public JdbcRecordStores(DataSource dataSource, String prefix) {
		if (!PREFIX.matcher(prefix).matches()) {
			throw new IllegalArgumentException(
					"'%s' is not a valid table prefix. Use up to 40 lower-case letters, digits and underscores, such as %s, optionally after a schema and a dot, 57 characters in all"
						.formatted(prefix, TABLES));
		}
		this.connections = new Connections(dataSource);
		this.prefix = prefix;
	}

	/**
	 * Adapt a script to these tables: rename the tables that it creates, their indexes
	 * and triggers, and the channels that changes are notified on.
	 * @param script the text of one of the scripts next to this class
	 * @return the script for these tables
	 */
	public String schema(String script) {
		String local = this.prefix.substring(this.prefix.indexOf('.') + 1);
		String channel = this.prefix.replace('.', '_');
		return TABLE.matcher(script).replaceAll((name) -> {
			String before = name.group(1);
			if (before == null) {
				// In the schema of its table, which an index or trigger must not name.
				return local;
			}
			return before + (before.equals("'") ? channel : this.prefix);
		});
	}

	/**
	 * Describe where records are kept, as in "tables leader_election_* of PostgreSQL
	 * 17.2".
	 * @param timeout how long the call may take, positive
	 * @return a phrase, without any credentials
	 * @throws LeaseStoreException if the database does not answer
	 */
	public String describe(Duration timeout) {
		return this.connections.read(timeout, (lent) -> {
			DatabaseMetaData database = lent.connection().getMetaData();
			return "tables %s* of %s %s".formatted(this.prefix, database.getDatabaseProductName(),
					database.getDatabaseProductVersion());
		});
	}

	@Override
	public RecordStore store(RecordKind kind) {
		return this.stores.computeIfAbsent(kind.name(),
				(name) -> new JdbcRecordStore(this.connections, this.prefix + name, kind));
	}

	@Override
	public String place() {
		return "tables %s* of a relational database".formatted(this.prefix);
	}

}
