package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import javax.sql.DataSource;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.InitializeSchema;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.store.LeaseStoreException;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.init.ScriptStatementFailedException;

/**
 * Creates the tables that are missing.
 */
final class JdbcSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private static final String SCRIPT = "classpath:io/github/leaderelection/jdbc/schema-@@platform@@.sql";

	/** More than the script has statements that can fail because of another instance. */
	private static final int ATTEMPTS = 20;

	/** Longer than a pool lets a call wait for a database that is merely slow. */
	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private final JdbcRecordStores stores;

	private final InitializeSchema which;

	JdbcSchemaInitializer(DataSource dataSource, JdbcRecordStores stores, InitializeSchema which) {
		super(dataSource, settings(dataSource, stores, DatabaseInitializationMode.valueOf(which.name())));
		this.stores = stores;
		this.which = which;
	}

	/** Create the settings. Asks the database for its product only if that is needed. */
	private static DatabaseInitializationSettings settings(DataSource dataSource, JdbcRecordStores stores,
			DatabaseInitializationMode mode) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setMode(mode);
		if (mode == DatabaseInitializationMode.ALWAYS) {
			requireReachable(stores);
		}
		if (mode == DatabaseInitializationMode.ALWAYS
				|| (mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource))) {
			settings.setSchemaLocations(new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCRIPT));
		}
		return settings;
	}

	private static void requireReachable(JdbcRecordStores stores) {
		try {
			stores.describe(TIMEOUT);
		}
		catch (LeaseStoreException ex) {
			throw impossible(InitializeSchema.ALWAYS, ex,
					"Correct the DataSource's URL, user or password, or start the database. To start the application without it, "
							+ "create the tables with a migration, and set leader-election.jdbc.initialize-schema=never");
		}
	}

	private static InvalidElectionSettingException impossible(InitializeSchema which, Throwable cause, String remedy) {
		return new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".jdbc.initialize-schema",
				which.name().toLowerCase(Locale.ROOT), "can't create the tables: " + cause.getMessage(), remedy, cause);
	}

	/** Run the scripts, with retries: instances that start together run the same. */
	@Override
	protected void runScripts(Scripts scripts) {
		List<Resource> renamed = new ArrayList<>();
		scripts.forEach((script) -> renamed.add(rename(script)));
		for (int attempt = 1;; attempt++) {
			try {
				super.runScripts(new Scripts(renamed));
				return;
			}
			catch (DataAccessException ex) {
				if (attempt == ATTEMPTS && ex instanceof ScriptStatementFailedException) {
					throw impossible(this.which, ex.getMostSpecificCause(),
							"Let the user of the DataSource create tables, in a schema that exists, or create them with a migration and set leader-election.jdbc.initialize-schema=never");
				}
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private Resource rename(Resource script) {
		try {
			String text = this.stores.schema(script.getContentAsString(StandardCharsets.UTF_8));
			return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
