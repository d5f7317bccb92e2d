package io.github.leaderelection.sample;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DefaultDatabase}.
 */
class DefaultDatabaseTests {

	@Test
	void defaultDatabaseIsUsedForAUriWithoutOne() {
		assertThat(database("mongodb://one,two/?replicaSet=rs0")).isEqualTo("test");
	}

	@Test
	void databaseOfAUriIsKept() {
		assertThat(database("mongodb://one,two/shop?replicaSet=rs0")).isNull();
	}

	private static String database(String uri) {
		try (StaticApplicationContext context = new StaticApplicationContext()) {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("test", Map.of("spring.mongodb.uri", uri)));
			new DefaultDatabase().initialize(context);
			return context.getEnvironment().getProperty("spring.mongodb.database");
		}
	}

}
