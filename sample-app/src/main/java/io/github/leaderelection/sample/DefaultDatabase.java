package io.github.leaderelection.sample;

import java.util.Map;

import com.mongodb.ConnectionString;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Sets a default database if {@code spring.mongodb.uri} names none, so the sample runs
 * with any URI. Other applications name their database.
 */
class DefaultDatabase implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		ConfigurableEnvironment environment = context.getEnvironment();
		String uri = environment.getProperty("spring.mongodb.uri");
		if (uri != null && new ConnectionString(uri).getDatabase() == null) {
			Map<String, Object> defaults = Map.of("spring.mongodb.database", "test");
			environment.getPropertySources().addLast(new MapPropertySource("defaultDatabase", defaults));
		}
	}

}
