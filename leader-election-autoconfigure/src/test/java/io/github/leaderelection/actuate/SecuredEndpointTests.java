package io.github.leaderelection.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.store.InMemoryRecordStores;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the endpoint behind Spring Security, configured as
 * {@code docs/endpoint-security.md} shows it.
 */
class SecuredEndpointTests {

	private static final String ELECTION = "/actuator/leaderelection/invoices";

	@Test
	void pageShowsTheConfiguration() throws IOException {
		String source = Files
			.readString(Path.of("src/test/java/io/github/leaderelection/actuate/EndpointSecurity.java"));
		assertThat(Files.readString(Path.of("../docs/endpoint-security.md")))
			.contains("```java unchecked\n" + source.substring(source.indexOf("@Configuration")) + "```");
	}

	@Test
	void operatorsActAndOthersOnlyRead() {
		try (ConfigurableApplicationContext context = start(Shop.class, EndpointSecurity.class)) {
			LeaderElection elections = context.getBean(LeaderElection.class);
			assertThat(status(context, HttpMethod.GET, "/actuator/health", null)).isEqualTo(200);
			for (HttpMethod method : new HttpMethod[] { HttpMethod.GET, HttpMethod.POST }) {
				assertThat(status(context, method, ELECTION, null)).as("nobody: %s", method).isEqualTo(401);
			}
			for (String name : new String[] { "reader", "operator" }) {
				assertThat(status(context, HttpMethod.GET, "/actuator/leaderelection", name)).isEqualTo(200);
				assertThat(status(context, HttpMethod.GET, ELECTION, name)).isEqualTo(200);
			}
			assertThat(status(context, HttpMethod.GET, "/actuator/info", null)).isEqualTo(401);
			assertThat(status(context, HttpMethod.POST, ELECTION, "reader")).isEqualTo(403);
			await().until(() -> elections.isLeader("invoices"));
			assertThat(status(context, HttpMethod.POST, ELECTION, "operator")).isEqualTo(202);
			await().until(() -> !elections.isLeader("invoices"));
		}
	}

	/** This is why the page shows a configuration at all. */
	@Test
	void defaultsOfSpringSecurityForbidActions() {
		try (ConfigurableApplicationContext context = start(Shop.class)) {
			assertThat(status(context, HttpMethod.GET, ELECTION, "operator")).isEqualTo(200);
			// 401 where the error page requires a login.
			assertThat(status(context, HttpMethod.POST, ELECTION, "operator")).isIn(403, 401);
		}
	}

	private static ConfigurableApplicationContext start(Class<?>... sources) {
		return new SpringApplicationBuilder(sources)
			.properties("server.port=0", "server.address=127.0.0.1", "spring.application.name=shop",
					"spring.main.web-application-type=servlet", SecurityOnRequest.PROPERTY + "=true",
					"management.endpoints.web.exposure.include=health,info,leaderelection",
					"management.endpoint.leaderelection.access=unrestricted",
					"spring.autoconfigure.exclude=" + MongoAutoConfiguration.class.getName() + ","
							+ MongoReactiveAutoConfiguration.class.getName())
			.run();
	}

	private static int status(ConfigurableApplicationContext context, HttpMethod method, String path, String user) {
		RestClient.RequestBodySpec request = RestClient.create()
			.method(method)
			.uri("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
		if (user != null) {
			request.headers((headers) -> headers.setBasicAuth(user, "secret"));
		}
		if (method == HttpMethod.POST) {
			request.contentType(MediaType.APPLICATION_JSON).body("{\"action\": \"pause\"}");
		}
		return request.exchange((sent, answer) -> answer.getStatusCode().value());
	}

	/**
	 * Leaves Spring Security out of all other tests of this module: its mere presence
	 * would require a login.
	 */
	static class SecurityOnRequest implements AutoConfigurationImportFilter, EnvironmentAware {

		static final String PROPERTY = "tests.security";

		private boolean requested;

		@Override
		public void setEnvironment(Environment environment) {
			this.requested = environment.getProperty(PROPERTY, Boolean.class, false);
		}

		@Override
		public boolean[] match(String[] classes, AutoConfigurationMetadata metadata) {
			boolean[] matches = new boolean[classes.length];
			for (int i = 0; i < classes.length; i++) {
				matches[i] = this.requested || classes[i] == null
						|| !classes[i].startsWith("org.springframework.boot.security.");
			}
			return matches;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Invoices.class, InMemoryRecordStores.class })
	static class Shop {

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(user("reader", "USER"), user("operator", "OPERATOR"));
		}

		private static UserDetails user(String name, String role) {
			return User.withUsername(name).password("{noop}secret").roles(role).build();
		}

	}

	static class Invoices {

		@LeaderOnly("invoices")
		void send() {
		}

	}

}
