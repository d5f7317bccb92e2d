package io.github.leaderelection.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets a native image find the classes whose presence is tested by name. Hints for
 * {@code @LeaderOnly} are registered for each bean.
 */
final class LeaderElectionRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<String> ASKED_FOR = List.of("reactor.core.publisher.Flux",
			"com.mongodb.client.MongoClient", "io.github.leaderelection.mongodb.MongoRecordStores",
			"org.springframework.data.mongodb.MongoDatabaseFactory",
			"org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails",
			"com.zaxxer.hikari.HikariDataSource", "org.springframework.data.mongodb.MongoTransactionManager",
			"io.github.leaderelection.mongodb.TermFence",
			"org.springframework.jdbc.datasource.DataSourceTransactionManager",
			"org.springframework.orm.jpa.JpaTransactionManager");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		ASKED_FOR.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name, (hint) -> {
		}));
		hints.resources().registerPattern("io/github/leaderelection/jdbc/schema-*.sql");
	}

}
