package io.github.leaderelection.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.mongodb.RecordedCommands;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A web application with its whole actuator over HTTP, on a real MongoDB.
 */
final class RunningApplication implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final ConfigurableApplicationContext context;

	private final String root;

	private RunningApplication(ConfigurableApplicationContext context) {
		this.context = context;
		this.root = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
	}

	static RunningApplication start(String uri, String database, String... properties) {
		return start(Application.class, uri, database, properties);
	}

	static RunningApplication start(Class<?> application, String uri, String database, String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "server.address=127.0.0.1",
				// As without the reactive driver: Boot would check its health instead
				"spring.autoconfigure.exclude=" + MongoReactiveAutoConfiguration.class.getName(),
				"spring.application.name=shop", "spring.mongodb.uri=" + uri, "spring.mongodb.database=" + database,
				"management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always"));
		all.addAll(List.of(properties));
		return new RunningApplication(
				new SpringApplicationBuilder(application).properties(all.toArray(String[]::new)).run());
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	ElectionEngine engine() {
		return this.context.getBean(ElectionEngine.class);
	}

	RecordedCommands commands() {
		return this.context.getBean(RecordedCommands.class);
	}

	/** Send a request to the actuator. */
	Answer get(String path) {
		return visit("/actuator" + path);
	}

	/** Send a request to the application. */
	Answer visit(String path) {
		return send(request(this.root + path).build());
	}

	Answer post(String path, String json) {
		return send(request(this.root + "/actuator" + path).header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json))
			.build());
	}

	private static HttpRequest.Builder request(String uri) {
		return HttpRequest.newBuilder(URI.create(uri)).timeout(PATIENCE);
	}

	private Answer send(HttpRequest request) {
		try {
			// One connection per request: Reactor Netty 1.3.7 may forget to read the next
			// request of one that it keeps alive (reactor-netty#4361).
			HttpResponse<String> response = HttpClient.newHttpClient()
				.send(request, HttpResponse.BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.body());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	record Answer(int status, String body) {

		<T> T read(String path) {
			return JsonPath.read(this.body, path);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		RecordedCommands recordedCommands() {
			return new RecordedCommands();
		}

		@Bean
		MongoClientSettingsBuilderCustomizer recording(RecordedCommands commands) {
			return (settings) -> settings.addCommandListener(commands);
		}

	}

}
