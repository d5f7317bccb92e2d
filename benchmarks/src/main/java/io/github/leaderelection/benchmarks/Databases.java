package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.util.UUID;

import javax.sql.DataSource;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Databases for single measurements, and the tables of relational ones.
 */
final class Databases {

	private static final String SPRING_INTEGRATION = "org/springframework/integration/jdbc/schema-%s.sql";

	private Databases() {
	}

	/**
	 * Start a PostgreSQL server that waits for its disk. Databases that are created on it
	 * have the tables of all libraries.
	 */
	static EmbeddedPostgres startPostgres() throws IOException {
		EmbeddedPostgres postgres = EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.start();
		String template = postgres.getJdbcUrl("postgres", "template1");
		execute(template, ScriptUtils.EOF_STATEMENT_SEPARATOR,
				new ClassPathResource("schema-postgresql.sql", JdbcRecordStores.class));
		execute(template, ScriptUtils.DEFAULT_STATEMENT_SEPARATOR,
				new ClassPathResource(SPRING_INTEGRATION.formatted("postgresql")),
				new ClassPathResource("compared-postgresql.sql"));
		return postgres;
	}

	/** Create a database of H2 in memory, with the tables of Spring Integration. */
	static DataSource h2() {
		String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
		execute(url, ScriptUtils.DEFAULT_STATEMENT_SEPARATOR,
				new ClassPathResource(SPRING_INTEGRATION.formatted("h2")));
		return new DriverManagerDataSource(url);
	}

	private static void execute(String url, String separator, Resource... scripts) {
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator(scripts);
		populator.setSeparator(separator);
		populator.execute(new DriverManagerDataSource(url));
	}

	static boolean isRelational(String uri) {
		return uri.startsWith("jdbc:");
	}

	/** Return the URL of another database on the same server. */
	static String url(String uri, String database) {
		return uri.replaceFirst("/[^/?]*\\?", "/" + database + "?");
	}

	/** Create a relational database. MongoDB creates its databases by itself. */
	static void create(String uri, String database) {
		if (isRelational(uri)) {
			new JdbcTemplate(new DriverManagerDataSource(uri)).execute("CREATE DATABASE \"%s\"".formatted(database));
		}
	}

	static void drop(String uri, String database) {
		if (isRelational(uri)) {
			new JdbcTemplate(new DriverManagerDataSource(uri))
				.execute("DROP DATABASE \"%s\" WITH (FORCE)".formatted(database));
			return;
		}
		try (MongoClient client = MongoClients.create(uri)) {
			client.getDatabase(database).drop();
		}
	}

	/** Return a lock provider of ShedLock that uses the time of the database. */
	static LockProvider shedLock(DataSource source) {
		return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(source))
			.usingDbTime()
			.build());
	}

	/** Return a started lock repository of Spring Integration. */
	static DefaultLockRepository springIntegration(DataSource source) {
		DefaultLockRepository repository = new DefaultLockRepository(source);
		repository.setTransactionManager(new JdbcTransactionManager(source));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		return repository;
	}

}
