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
 * table for each kind of record. The tables must exist; files beside this class,
 * {@code schema-postgresql.sql} for one, create them.
 * <p>
 * Each call takes a connection of its own and never joins a transaction of the caller.
 * Safe for use by several threads.
 */
public final class JdbcRecordStores implements RecordStores {

	/**
	 * What the names of the tables begin with, unless something else is said.
	 */
	public static final String TABLES = "leader_election_";

	private static final Pattern TABLE = Pattern.compile("(TABLE IF NOT EXISTS |ON |FUNCTION |')?" + TABLES);

	/**
	 * With what follows it is the name of a channel, for which PostgreSQL has 63 bytes.
	 */
	private static final Pattern PREFIX = Pattern.compile("(?=.{1,57}$)([a-z][a-z0-9_]{0,62}\\.)?[a-z][a-z0-9_]{0,39}");

	private final Map<String, RecordStore> stores = new ConcurrentHashMap<>();

	private final Connections connections;

	private final String prefix;

	/**
	 * Keep records in tables whose names begin with {@value #TABLES}. Does no I/O.
	 * @param dataSource where connections come from; must not return the connection of a
	 * transaction that the calling thread is in
	 */
	public JdbcRecordStores(DataSource dataSource) {
		this(dataSource, TABLES);
	}

	/**
	 * Keep records in tables of other names. Does no I/O.
	 * @param dataSource where connections come from; must not return the connection of a
	 * transaction that the calling thread is in
	 * @param prefix what the names of the tables begin with: up to 57 lower-case letters,
	 * digits and underscores, perhaps with a schema and a dot before
	 * @throws IllegalArgumentException if no name can begin with that
	 */
	public JdbcRecordStores(DataSource dataSource, String prefix) {
		if (!PREFIX.matcher(prefix).matches()) {
			throw new IllegalArgumentException(
					"'%s' can't be what names of tables begin with. Use up to 57 lower-case letters, digits and underscores, such as %s, perhaps with a schema and a dot before"
						.formatted(prefix, TABLES));
		}
		this.connections = new Connections(dataSource);
		this.prefix = prefix;
	}

	/**
	 * Give the names of these tables to those that a script creates, with their indexes
	 * and triggers, and the channels by which changes are told.
	 * @param script the text of one of the files beside this class
	 * @return the script for these tables
	 */
	public String schema(String script) {
		String local = this.prefix.substring(this.prefix.indexOf('.') + 1);
		String channel = this.prefix.replace('.', '_');
		return TABLE.matcher(script).replaceAll((name) -> {
			String before = name.group(1);
			if (before == null) {
				// It is in the schema of its table, and must not name it.
				return local;
			}
			return before + (before.equals("'") ? channel : this.prefix);
		});
	}

	/**
	 * Tell people what records are kept on, as in "tables leader_election_* of PostgreSQL
	 * 17.2".
	 * @param timeout how long that may take, positive
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
