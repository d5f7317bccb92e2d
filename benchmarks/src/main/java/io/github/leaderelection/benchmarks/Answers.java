package io.github.leaderelection.benchmarks;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Measures how long operators wait for an answer, with MongoDB running and paused.
 */
final class Answers {

	private static final int REQUESTS = 500;

	private static final List<String> PATHS = List.of("/actuator/health/leaderElection", "/actuator/leaderelection",
			"/actuator/prometheus");

	private Answers() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws Exception {
		report.title("Answers to operators");
		report.paragraph(
				"""
						Milliseconds until an application with ten elections has answered over HTTP, with MongoDB running and with all three servers suspended.
						""");
		List<String> properties = new ArrayList<>(List.of("server.port=0", "spring.application.name=benchmarks",
				"spring.mongodb.uri=" + mongo.uri(), "spring.mongodb.database=answers",
				"management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always"));
		for (int i = 0; i < 10; i++) {
			properties.add("leader-election.elections.election-%d.stand=true".formatted(i));
		}
		List<List<String>> rows = new ArrayList<>();
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.properties(properties.toArray(String[]::new))
			.run()) {
			LeaderElection elections = context.getBean(LeaderElection.class);
			Fleet.await(() -> elections.elections().stream().allMatch(elections::isLeader));
			String root = "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
			PATHS.forEach((path) -> times(root + path));
			PATHS.forEach((path) -> rows.add(row(path, "running", times(root + path))));
			mongo.nodes().forEach(MongoNode::pause);
			try {
				PATHS.forEach((path) -> rows.add(row(path, "suspended", times(root + path))));
			}
			finally {
				mongo.nodes().forEach(MongoNode::resume);
			}
		}
		report.table(Stream.concat(Stream.of("path", "MongoDB"), Samples.TITLES.stream()).toList(), rows);
	}

	private static List<String> row(String path, String mongo, List<Double> millis) {
		return Stream.concat(Stream.of('`' + path + '`', mongo), new Samples(millis).columns().stream()).toList();
	}

	private static List<Double> times(String uri) {
		HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
		List<Double> millis = new ArrayList<>();
		for (int i = 0; i < REQUESTS; i++) {
			long begun = System.nanoTime();
			int status = http.sendAsync(request, BodyHandlers.discarding()).join().statusCode();
			millis.add((System.nanoTime() - begun) / 1e6);
			if (status != 200) {
				throw new IllegalStateException(uri + " has answered " + status);
			}
		}
		return millis;
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
