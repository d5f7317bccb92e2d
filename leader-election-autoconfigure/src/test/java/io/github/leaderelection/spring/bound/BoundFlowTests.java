package io.github.leaderelection.spring.bound;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Test;
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
import org.springframework.integration.endpoint.SourcePollingChannelAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for flows of Spring Integration: the context starts their endpoints one by one.
 */
class BoundFlowTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withBean(AtomicInteger.class)
		.withPropertyValues("spring.application.name=orders", "leader-election.cooldown=60s");

	private final ApplicationContextRunner bound = this.runner.withUserConfiguration(Flow.class)
		.withPropertyValues("leader-election.elections.orders.components=mails");

	@Test
	void endpointPollsWhereItsInstanceLeads() {
		this.bound.run((context) -> {
			await().until(() -> context.getBean(AtomicInteger.class).get() > 3);
			context.getBean(LeaderElection.class).resign("orders");
			await().until(() -> !polls(context));
		});
	}

	@Test
	void endpointIsNotStartedByItsContext() {
		this.bound.withPropertyValues("leader-election.enabled=false", "leader-election.when-disabled=skip")
			.run((context) -> assertThat(polls(context)).isFalse());
	}

	@ParameterizedTest
	@ValueSource(classes = { Annotated.class, Adapter.class })
	void flowIsRefused(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("it is a Spring Integration flow"));
	}

	/** A proxy of Spring Integration takes the place of the bean, and is a Lifecycle. */
	@Test
	void classThatIsAFlowIsRefused() {
		this.runner.withUserConfiguration(Flow.class)
			.withBean(Outgoing.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("it is called at startup, when nobody leads yet"));
	}

	@Test
	void flowIsNotAmongTheNamesToChooseFrom() {
		this.runner.withUserConfiguration(Flow.class)
			.withPropertyValues("leader-election.elections.orders.components=mials")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mails")
				.message()
				.doesNotContain("incoming", "org.springframework"));
	}

	private static boolean polls(ApplicationContext context) {
		return context.getBean("mails", SourcePollingChannelAdapter.class).isRunning();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Flow {

		@Bean
		IntegrationFlow incoming(AtomicInteger polls) {
			return IntegrationFlow
				.fromSupplier(() -> "mail",
						(endpoint) -> endpoint.id("mails").poller((poller) -> poller.fixedDelay(20)))
				.handle((message) -> polls.incrementAndGet())
				.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Annotated {

		@Bean
		@LeaderOnly
		IntegrationFlow mails() {
			return (flow) -> flow.handle((message) -> {
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Adapter {

		@Bean
		Mails mails() {
			return new Mails();
		}

	}

	@LeaderOnly
	static class Outgoing implements IntegrationFlow {

		@Override
		public void configure(IntegrationFlowDefinition<?> flow) {
			flow.handle((message) -> {
			});
		}

	}

	@LeaderOnly
	static class Mails extends IntegrationFlowAdapter {

		@Override
		protected IntegrationFlowDefinition<?> buildFlow() {
			return from("mails.input").handle((message) -> {
			});
		}

	}

}
