package io.github.leaderelection.spring.bound;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.IntegrationFlowAdapter;
import org.springframework.integration.dsl.IntegrationFlowDefinition;
import org.springframework.integration.endpoint.AbstractEndpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for flows of Spring Integration as components: the context starts their endpoints
 * one by one, unless it is kept from that.
 */
class BoundFlowTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withBean(AtomicInteger.class)
		.withPropertyValues("spring.application.name=orders", "leader-election.cooldown=60s");

	@ParameterizedTest
	@ValueSource(classes = { Annotated.class, Adapter.class })
	void runsWhereItsInstanceLeadsAndNowhereElse(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration).run((context) -> {
			await().until(() -> context.getBean(AtomicInteger.class).get() > 3);
			context.getBean(LeaderElection.class).resign("orders");
			await().until(() -> isAtRest(context));
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Annotated.class, Adapter.class })
	void isNotStartedByItsContext(Class<?> configuration) {
		this.runner.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=skip")
			.withUserConfiguration(configuration)
			.run((context) -> assertThat(isAtRest(context)).isTrue());
	}

	private static boolean isAtRest(ApplicationContext context) {
		return context.getBeansOfType(AbstractEndpoint.class)
			.entrySet()
			.stream()
			.filter((endpoint) -> endpoint.getKey().startsWith("mails"))
			.noneMatch((endpoint) -> endpoint.getValue().isRunning());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Annotated {

		@Bean
		@LeaderOnly
		IntegrationFlow mails(AtomicInteger polls) {
			return IntegrationFlow
				.fromSupplier(() -> "mail", (endpoint) -> endpoint.poller((poller) -> poller.fixedDelay(20)))
				.handle((message) -> polls.incrementAndGet())
				.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Adapter {

		@Bean
		Mails mails(AtomicInteger polls) {
			return new Mails(polls);
		}

	}

	@LeaderOnly
	static class Mails extends IntegrationFlowAdapter {

		private final AtomicInteger polls;

		Mails(AtomicInteger polls) {
			this.polls = polls;
		}

		@Override
		protected IntegrationFlowDefinition<?> buildFlow() {
			return fromSupplier(() -> "mail", (endpoint) -> endpoint.poller((poller) -> poller.fixedDelay(20)))
				.handle((message) -> this.polls.incrementAndGet());
		}

	}

}
