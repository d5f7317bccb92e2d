package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.InitializeSchema;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.RecordStores;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/**
 * Keeps leases, sessions, candidates, runs of jobs and locks in tables of the
 * application's database, or of the one that is marked as
 * {@link LeaderElectionDataSource}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(RecordStores.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
class JdbcStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(JdbcStoreConfiguration.class);

	@Bean
	LeaseTables leaseTables(ObjectProvider<DataSource> dataSources,
			@LeaderElectionDataSource ObjectProvider<DataSource> marked, LeaderElectionProperties properties,
			ConfigurableListableBeanFactory beanFactory) {
		DataSource own = marked.getIfAvailable();
		DataSource dataSource = (own != null) ? own : dataSources.getIfUnique();
		if (dataSource == null) {
			throw NoLeaseStoreException.withoutDataSource(beanFactory);
		}
		try {
			return new LeaseTables(dataSource, new JdbcRecordStores(dataSource, properties.jdbc().tablePrefix()));
		}
		catch (IllegalArgumentException ex) {
			throw properties.jdbc().invalidPrefix(ex);
		}
	}

	@Bean
	JdbcSchemaInitializer leaderElectionSchemaInitializer(LeaseTables tables, LeaderElectionProperties properties) {
		return new JdbcSchemaInitializer(tables.dataSource(), tables.stores(),
				properties.enabled() ? properties.jdbc().initializeSchema() : InitializeSchema.NEVER);
	}

	@Bean
	@DependsOnDatabaseInitialization
	JdbcRecordStores jdbcRecordStores(LeaseTables tables) {
		tables.requireConnections();
		return tables.stores();
	}

	@Bean
	StartupSelfCheck leaderElectionSelfCheck(LeaseTables tables, ElectionSettingsResolver settings,
			LeaderElectionProperties properties, ObjectProvider<ElectionEngine> engine) {
		Duration timeout = settings.shortestOperationTimeout();
		return new StartupSelfCheck((status, limit) -> {
			String store = tables.stores().describe(limit);
			tables.warnIfThePoolIsPatient(timeout);
			return "Leases are kept in %s; %s".formatted(store, status.delivery());
		}, properties.enabled(), engine);
	}

	/**
	 * The tables of the leases, not to be used before they exist.
	 *
	 * @param dataSource the source of connections
	 * @param stores the stores on these tables
	 */
	record LeaseTables(DataSource dataSource, JdbcRecordStores stores) {

		private static final boolean PRESENT = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
				LeaseTables.class.getClassLoader());

		/** Require a second connection if PostgreSQL keeps one for notifications. */
		void requireConnections() {
			HikariDataSource pool = PRESENT ? Hikari.poolOf(this.dataSource) : null;
			if (pool != null && pool.getMaximumPoolSize() == 1
					&& String.valueOf(pool.getJdbcUrl()).startsWith("jdbc:postgresql:")) {
				throw new InvalidElectionSettingException("maximum-pool-size of the DataSource", "1",
						"leaves no connection for calls: one is kept open to receive notifications of PostgreSQL",
						"Raise it, for example with spring.datasource.hikari.maximum-pool-size, to what the application "
								+ "needs plus 3, or plus 5 if it uses locks",
						null);
			}
		}

		/** Warn if the pool lets a call wait for longer than the call may take. */
		void warnIfThePoolIsPatient(Duration timeout) {
			HikariDataSource pool = PRESENT ? Hikari.poolOf(this.dataSource) : null;
			Duration patience = (pool != null) ? Duration.ofMillis(pool.getConnectionTimeout()) : Duration.ZERO;
			if (patience.compareTo(timeout) > 0) {
				logger.warn(
						"The connection pool lets a call wait for {}, longer than the shortest operation-timeout of an "
								+ "election ({}). Shorten the pool's connection-timeout, for example with "
								+ "spring.datasource.hikari.connection-timeout",
						ReadableDuration.exact(patience), ReadableDuration.exact(timeout));
			}
		}

	}

	/** Loaded only if HikariCP is present. */
	private static final class Hikari {

		static @Nullable HikariDataSource poolOf(DataSource dataSource) {
			return DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
		}

	}

}
