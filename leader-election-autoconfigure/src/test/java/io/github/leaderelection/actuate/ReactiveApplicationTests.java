package io.github.leaderelection.actuate;

import java.util.List;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.actuate.RunningApplication.Answer;
import io.github.leaderelection.launcher.SharedMongo;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an application on WebFlux: its endpoint, its health, and handlers that only
 * the leader runs.
 */
class ReactiveApplicationTests {

	@Test
	void endpointAndGateWorkInReactiveApplication() {
		try (RunningApplication application = RunningApplication.start(Shop.class, SharedMongo.uri(),
				SharedMongo.uniqueDatabase(), "spring.main.web-application-type=reactive",
				"management.endpoint.leaderelection.access=unrestricted")) {
			assertThat(application.context()).isInstanceOf(ReactiveWebServerApplicationContext.class);
			await().until(() -> application.engine().isLeader("prices"));
			assertThat(application.get("/leaderelection/prices").<String>read("$.role")).isEqualTo("LEADER");
			assertThat(application.get("/health/leaderElection").<String>read("$.status")).isEqualTo("UP");
			assertThat(application.visit("/prices")).isEqualTo(new Answer(200, "[1,2]"));

			Answer resigned = application.post("/leaderelection/prices", "{\"action\":\"resign\"}");
			assertThat(resigned.status()).as(resigned.body()).isEqualTo(202);
			await().until(() -> application.get("/leaderelection/prices").<String>read("$.role").equals("FOLLOWER"));
			assertThat(application.visit("/prices")).isEqualTo(new Answer(200, ""));
			assertThat(application.get("/leaderelection/unknown").status()).isEqualTo(404);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Prices.class, Tariff.class })
	static class Shop {

	}

	static class Tariff {

		@LeaderOnly("prices")
		Mono<List<Integer>> current() {
			return Mono.just(List.of(1, 2));
		}

	}

	@RestController
	static class Prices {

		private final Tariff tariff;

		Prices(Tariff tariff) {
			this.tariff = tariff;
		}

		@GetMapping("/prices")
		Mono<List<Integer>> prices() {
			return this.tariff.current();
		}

	}

}
