package io.github.leaderelection.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import com.jayway.jsonpath.JsonPath;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.Rival;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests the HTTP response of an instance that does not lead, with Spring MVC and with
 * Spring WebFlux.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class RefusedRequestTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final String LEADER = "shop@web-9:1-0";

	private static final String ADDRESS = "http://web-9:8080";

	private static final HttpClient client = HttpClient.newHttpClient();

	private final String type;

	RefusedRequestTests(String type) {
		this.type = type;
	}

	@ParameterizedTest
	@ValueSource(strings = { "/call", "/mono", "/flux", "/future", "/route", "/csv" })
	void clientIsAskedToTryAgain(String path, CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			// A client that does not accept CSV is refused before the method is called.
			for (String accept : path.equals("/csv") ? List.of("text/csv")
					: List.of("application/json", "text/html", "text/csv")) {
				HttpResponse<String> answer = get(context, path, accept);
				assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
				assertThat(answer.headers().map()).containsEntry("retry-after", List.of("1"))
					.containsEntry("cache-control", List.of("no-store"));
				assertThat(answer.headers().firstValue("content-type").orElseThrow())
					.startsWith("application/problem+json");
				assertThat(JsonPath.<Map<String, Object>>read(answer.body(), "$"))
					.isEqualTo(Map.of("type", "tag:leaderelection.github.io,2026:not-leader", "title", "Not the leader",
							"status", 503, "detail", "This instance does not lead election 'invoices'. Try again.",
							"election", "invoices"));
			}
		}
		assertThat(output).contains("skipped handles web").doesNotContain("NotLeader", "ERROR", "call handles");
	}

	/** Spring's own problem details do not matter. */
	@Test
	void leaderIsExposedIfEnabled() {
		try (ConfigurableApplicationContext context = start("leader-election.web.expose-leader=true",
				"spring.mvc.problemdetails.enabled=true", "spring.webflux.problemdetails.enabled=true")) {
			String answer = get(context, "/call", "*/*").body();
			assertThat(JsonPath.<String>read(answer, "leader")).isEqualTo(LEADER);
			assertThat(JsonPath.<String>read(answer, "address")).isEqualTo(ADDRESS);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/lost             | leadership-lost  | LeadershipLostException
			/lock-lost        | lock-lost        | LockLostException
			/lock-unavailable | lock-unavailable | LockUnavailableException
			""")
	void otherRefusalsReturn503WithoutErrorLog(String path, String type, String exception, CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			HttpResponse<String> answer = get(context, path, "*/*");
			assertThat(answer.statusCode()).isEqualTo(503);
			assertThat(answer.headers().firstValue("retry-after")).contains("1");
			assertThat(JsonPath.<String>read(answer.body(), "type"))
				.isEqualTo("tag:leaderelection.github.io,2026:" + type);
			// Names of locks may reveal what they protect.
			assertThat(answer.body()).doesNotContain("smith");
		}
		assertThat(output).doesNotContain(exception, "ERROR");
	}

	@Test
	void handlersOfTheApplicationComeFirst() {
		try (ConfigurableApplicationContext context = start(ShopWithHandler.class)) {
			HttpResponse<String> answer = get(context, "/call", "*/*");
			assertThat(answer.statusCode()).isEqualTo(409);
			assertThat(answer.body()).isEqualTo("ask " + ADDRESS);
		}
	}

	@Test
	void exceptionNamesTheLeaderAndOtherFailuresAreUnchanged() {
		try (ConfigurableApplicationContext context = start()) {
			assertThat(get(context, "/broken", "*/*").statusCode()).isEqualTo(500);
			assertThatExceptionOfType(NotLeaderException.class)
				.isThrownBy(() -> context.getBean(Invoices.class).cancel())
				.withMessageEndingWith("Invoices.cancel was refused: this instance does not lead election 'invoices', "
						+ "'shop@web-9:1-0' does")
				.satisfies((ex) -> assertThat(ex.getLeader()).contains(LEADER),
						(ex) -> assertThat(ex.getLeaderAddress()).contains(ADDRESS));
			assertThatExceptionOfType(NotLeaderException.class)
				.isThrownBy(() -> context.getBean(Invoices.class).later().block())
				.satisfies((ex) -> assertThat(ex.getLeaderAddress()).contains(ADDRESS));
		}
	}

	private ConfigurableApplicationContext start(String... properties) {
		return start(Shop.class, properties);
	}

	private ConfigurableApplicationContext start(Class<?> shop, String... properties) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(shop)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.application.name=shop",
					"spring.main.web-application-type=" + this.type, "spring.reactor.netty.shutdown-quiet-period=0s",
					"spring.autoconfigure.exclude=" + MongoAutoConfiguration.class.getName() + ","
							+ MongoReactiveAutoConfiguration.class.getName())
			.properties(properties)
			.run();
		ElectionEngine engine = context.getBean(ElectionEngine.class);
		await().atMost(LONG).until(() -> engine.leader("invoices").isPresent() && engine.addressOf(LEADER).isPresent());
		return context;
	}

	private static HttpResponse<String> get(ConfigurableApplicationContext context, String path, String accept) {
		URI uri = URI
			.create("http://127.0.0.1:%s%s".formatted(context.getEnvironment().getProperty("local.server.port"), path));
		try {
			return client.send(HttpRequest.newBuilder(uri).header("Accept", accept).timeout(LONG).build(),
					HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Invoices.class, Controller.class, ServletRoutes.class, ReactiveRoutes.class })
	static class Shop {

		@Bean
		RecordStores stores() {
			RecordStores stores = new InMemoryRecordStores();
			new Rival(LeaseStore.forElections(stores, ""), LEADER, Duration.ofHours(1)).take("invoices");
			CandidateRecord leader = new CandidateRecord(LEADER, "shop", "web-9", null, ADDRESS, Set.of("invoices"),
					null, Set.of());
			new CandidateRegistry(stores, "").announce(leader, LONG);
			return stores;
		}

		@Bean
		LockService locks() {
			return new LockService(LeaseStore.forLocks(new InMemoryRecordStores(), ""));
		}

	}

	@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
	static class Invoices {

		public String cancel() {
			return "done";
		}

		public Mono<String> later() {
			return Mono.just("done");
		}

	}

	@RestController
	static class Controller {

		private final Invoices invoices;

		private final LockService locks;

		Controller(Invoices invoices, LockService locks) {
			this.invoices = invoices;
			this.locks = locks;
		}

		@GetMapping("/call")
		@LeaderOnly(value = "invoices", otherwise = LeaderOnly.Otherwise.THROW)
		public String call() {
			return "done";
		}

		@GetMapping("/skipped")
		@LeaderOnly("invoices")
		public String skipped() {
			return "done";
		}

		@GetMapping(path = "/csv", produces = "text/csv")
		String csv() {
			return this.invoices.cancel();
		}

		@GetMapping("/mono")
		Mono<String> mono() {
			return this.invoices.later();
		}

		@GetMapping("/flux")
		Flux<String> flux() {
			return this.invoices.later().flux();
		}

		@GetMapping("/future")
		CompletableFuture<String> future() {
			return CompletableFuture.supplyAsync(this.invoices::cancel);
		}

		@GetMapping("/lost")
		String lost() {
			TestTerm lost = new TestTerm("invoices", 7);
			lost.lose();
			lost.leadership().requireHeld();
			return "done";
		}

		@GetMapping("/lock-lost")
		String lockLost() {
			HeldLock lock = this.locks.tryAcquire("import/smith").orElseThrow();
			lock.close();
			lock.requireHeld();
			return "done";
		}

		@GetMapping("/lock-unavailable")
		String lockUnavailable() throws InterruptedException {
			try (HeldLock lock = this.locks.acquire("import/smith", LONG)) {
				this.locks.acquire(lock.name(), Duration.ofMillis(1)).close();
			}
			return "done";
		}

		@GetMapping("/broken")
		String broken() {
			throw new IllegalStateException("on purpose");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class ServletRoutes {

		/** Sets the length, as before a download that is refused. */
		@Bean
		Filter length() {
			return (request, response, chain) -> {
				if (((HttpServletRequest) request).getRequestURI().equals("/csv")) {
					response.setContentLength(100_000);
				}
				chain.doFilter(request, response);
			};
		}

		@Bean
		org.springframework.web.servlet.function.RouterFunction<org.springframework.web.servlet.function.ServerResponse> route(
				Invoices invoices) {
			return org.springframework.web.servlet.function.RouterFunctions.route()
				.GET("/route",
						(request) -> org.springframework.web.servlet.function.ServerResponse.ok()
							.body(invoices.cancel()))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class ReactiveRoutes {

		@Bean
		org.springframework.web.reactive.function.server.RouterFunction<org.springframework.web.reactive.function.server.ServerResponse> route(
				Invoices invoices) {
			return org.springframework.web.reactive.function.server.RouterFunctions.route()
				.GET("/route",
						(request) -> org.springframework.web.reactive.function.server.ServerResponse.ok()
							.body(invoices.later(), String.class))
				.build();
		}

	}

	@RestControllerAdvice
	static class ShopWithHandler extends Shop {

		@ExceptionHandler
		ResponseEntity<String> handle(NotLeaderException refused) {
			return ResponseEntity.status(409).body("ask " + refused.getLeaderAddress().orElse("?"));
		}

	}

}
