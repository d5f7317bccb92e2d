package io.github.leaderelection.spring.bound;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderElectionAutoConfiguration;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus.State;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.spring.GateRunner;
import io.github.leaderelection.spring.LeaderOnlyConfiguration;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link BoundComponents} in application contexts.
 */
@Timeout(120)
class BoundComponentsTests {

	private static final String COMPONENTS = "leader-election.elections.orders.components";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withPropertyValues("spring.application.name=orders");

	private final ApplicationContextRunner follower = this.runner.withPropertyValues("leader-election.enabled=false",
			"leader-election.when-disabled=skip");

	@ParameterizedTest
	@ValueSource(classes = { Annotated.class, AnnotatedSmart.class, Heir.class })
	void annotatedClass(Class<? extends Recorded> type) {
		this.runner.withBean("listener", type).run((context) -> assertThat(isLed(context, "listener")).isTrue());
		this.follower.withBean("listener", type).run((context) -> assertNeverStarted(context, "listener"));
	}

	@Test
	void annotatedClassIsNotGated() {
		this.follower.withBean("listener", Annotated.class).run((context) -> {
			Annotated listener = context.getBean(Annotated.class);
			assertThat(listener.getClass()).isEqualTo(Annotated.class);
			assertThat(listener.answer()).isEqualTo("ungated");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain", "smart", "declaredWide", "lazy", "made" })
	void annotatedBeanMethod(String name) {
		this.runner.withUserConfiguration(Methods.class).run((context) -> {
			await().until(() -> component(context, name).state() == State.RUNNING);
			assertThat(context.getBean(Methods.class).ungated()).isEqualTo("ungated");
		});
		this.follower.withUserConfiguration(Methods.class).run((context) -> {
			assertThat(component(context, name).state()).isEqualTo(State.STOPPED);
			assertThat(context.getBean(Methods.class).ungated()).isEqualTo("ungated");
		});
	}

	@Test
	void electionOfTheAnnotation() {
		this.runner.withPropertyValues("which=night").withBean("listener", Other.class).run((context) -> {
			assertThat(context.getBean(LeaderElection.class).elections()).containsExactly("night");
			assertThat(isLed(context, "listener")).isTrue();
		});
	}

	@Test
	void beanNamedByAProperty() {
		ApplicationContextRunner named = this.runner.withPropertyValues(COMPONENTS + "=smart, plain");
		named.withBean("smart", Recorded.Smart.class).withBean("plain", Recorded.class).run((context) -> {
			assertThat(isLed(context, "smart")).isTrue();
			assertThat(isLed(context, "plain")).isTrue();
		});
		this.follower.withPropertyValues(COMPONENTS + "=smart")
			.withBean("smart", Recorded.Smart.class)
			.run((context) -> assertNeverStarted(context, "smart"));
	}

	@Test
	void containerKnownToARegistry() {
		this.runner.withPropertyValues(COMPONENTS + "=one").withBean(Registry.class).run((context) -> {
			Registry registry = context.getBean(Registry.class);
			await().until(() -> component(context, "one").state() == State.RUNNING);
			assertThat(registry.containers.get("one").events()).containsExactly("start");
			// Even if this process leads before the registry is started.
			assertThat(registry.containers.get("two").events()).containsExactly("start");
		});
		this.follower.withPropertyValues(COMPONENTS + "=one").withBean(Registry.class).run((context) -> {
			Registry registry = context.getBean(Registry.class);
			assertThat(registry.containers.get("one").events()).isEmpty();
			assertThat(registry.containers.get("two").events()).containsExactly("start");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { WatchingItsLease.class, SmartWatchingItsLease.class })
	void stopsBeforeTheLeaseIsReleasedWhenTheContextCloses(Class<? extends WatchingItsLease> type) {
		WatchingItsLease[] listener = new WatchingItsLease[1];
		this.runner.withBean("listener", type).run((context) -> {
			listener[0] = context.getBean(type);
			assertThat(isLed(context, "listener")).isTrue();
		});
		assertThat(listener[0].events()).containsExactly("start", "stop");
		assertThat(listener[0].ledWhenStopped).isTrue();
	}

	@Test
	void resignsWhenItKeepsFailing() {
		this.runner
			.withPropertyValues("leader-election.elections.orders.component-failure=resign",
					"leader-election.cooldown=1s")
			.withBean("listener", AnnotatedSmart.class)
			.withBean(BeanPostProcessor.class, () -> failing(3))
			.run((context) -> {
				await().atMost(Duration.ofSeconds(60)).until(() -> election(context).term() > 1);
				await().until(() -> component(context, "listener").state() == State.RUNNING);
				assertThat(context.getBean(AnnotatedSmart.class).events()).filteredOn("start"::equals).hasSize(4);
			});
	}

	static Stream<Arguments> refused() {
		return Stream.of(refusal(
				COMPONENTS + " (three) can't be started and stopped with the leader: no bean or listener "
						+ "container has this name. Name one of: [one, registry, two]",
				(runner) -> runner.withPropertyValues(COMPONENTS + "=three").withBean("registry", Registry.class)),
				refusal(COMPONENTS + " (text) can't be started and stopped with the leader: java.lang.String does "
						+ "not implement org.springframework.context.Lifecycle. Let a bean implement Lifecycle, ",
						(runner) -> runner.withPropertyValues(COMPONENTS + "=text")
							.withBean("text", String.class, () -> "text")),
				refusal("it is the bean that starts and stops components",
						(runner) -> runner.withPropertyValues(COMPONENTS + "=leaderElectionLifecycle")),
				refusal("@LeaderOnly bean 'sequence' can't be started and stopped with the leader: java.lang.String "
						+ "does not implement org.springframework.context.Lifecycle. ",
						(runner) -> runner.withUserConfiguration(NoLifecycle.class)),
				refusal("leader-election.elections.night.components (listener) can't be started and stopped with the "
						+ "leader: it is already bound by @LeaderOnly bean 'listener'. Remove one of the two",
						(runner) -> runner.withPropertyValues("leader-election.elections.night.components=listener")
							.withBean("listener", Annotated.class)),
				refusal("the bean is not a singleton",
						(runner) -> runner.withBean("listener", Annotated.class, Annotated::new,
								(definition) -> definition.setScope("prototype"))),
				refusal("its isAutoStartup() is true, and there is no setAutoStartup(boolean)",
						(runner) -> runner.withPropertyValues(COMPONENTS + "=wilful")
							.withBean("wilful", Recorded.Wilful.class)),
				refusal("'#{night}' is an expression",
						(runner) -> runner.withPropertyValues("which=#{night}").withBean("listener", Other.class)),
				refusal("it names no election and there is no default one",
						(runner) -> runner.withPropertyValues("spring.application.name=")
							.withBean("listener", Annotated.class)));
	}

	private static Arguments refusal(String message, UnaryOperator<ApplicationContextRunner> beans) {
		return Arguments.of(message, Named.of("beans", beans));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void invalidBindingIsRefused(String message, UnaryOperator<ApplicationContextRunner> beans) {
		beans.apply(this.runner).run((context) -> assertThat(failure(context)).hasMessageContaining(message));
	}

	@Test
	void componentStartedByAnotherBeanIsRefused() {
		this.follower.withBean("listener", Annotated.class)
			.withUserConfiguration(Starter.class)
			.run((context) -> assertThat(failure(context))
				.hasMessageContaining("something else has started it, though this instance does not lead"));
	}

	@Test
	void componentStartedWithTheContextIsStopped() {
		this.follower.withBean("listener", Annotated.class).run((context) -> {
			Annotated listener = context.getBean(Annotated.class);
			context.getSourceApplicationContext().start();
			assertThat(listener.events()).containsExactly("start", "stop");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { LeaderOnlyAutoConfiguration.class, LeaderOnlyConfiguration.class, Recorded.Smart.class,
			Registry.class })
	void childBindsItsOwnComponentsInElectionsOfItsParent(Class<?> source) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(InMemory.class, Recorded.Smart.class,
				Registry.class)
			.web(WebApplicationType.NONE)
			.properties("spring.application.name=orders", COMPONENTS + "=recorded.Smart,one");
		try (ConfigurableApplicationContext parent = application.run();
				ConfigurableApplicationContext child = application.child(AnnotatedSmart.class, Wide.class, source)
					.web(WebApplicationType.NONE)
					.properties(COMPONENTS + "=recorded.Smart,one,boundComponentsTests.Wide")
					.run()) {
			assertThat(isLed(child, "boundComponentsTests.AnnotatedSmart")).isTrue();
			assertThat(isLed(child, "boundComponentsTests.Wide")).isTrue();
			assertThat(child.getBean("recorded.Smart", Recorded.Smart.class).isAutoStartup()).isFalse();
			assertThat(child.getBean(Registry.class).containers.get("one").isAutoStartup()).isFalse();
			child.close();
			await().until(() -> election(parent).components().size() == 2);
			assertThat(isLed(parent, "recorded.Smart")).isTrue();
		}
	}

	private static BeanPostProcessor failing(int starts) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (bean instanceof Recorded recorded) {
					recorded.failingStarts.set(starts);
				}
				return bean;
			}

		};
	}

	private static boolean isLed(ApplicationContext context, String name) {
		Recorded listener = context.getBean(name, Recorded.class);
		await().until(() -> component(context, name).state() == State.RUNNING);
		return listener.events().equals(List.of("start"));
	}

	private static void assertNeverStarted(ApplicationContext context, String name) {
		assertThat(context.getBean(name, Recorded.class).events()).isEmpty();
		assertThat(component(context, name).state()).isEqualTo(State.STOPPED);
	}

	private static ElectionStatus election(ApplicationContext context) {
		return context.getBean(ElectionEngine.class).status().elections().get(0);
	}

	private static ComponentStatus component(ApplicationContext context, String name) {
		return election(context).components()
			.stream()
			.filter((each) -> each.name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static Throwable failure(AssertableApplicationContext context) {
		return GateRunner.failure(context, InvalidComponentException.class);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(InMemoryRecordStores.class)
	@ImportAutoConfiguration({ LeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class })
	static class InMemory {

	}

	@LeaderOnly
	static class Annotated extends Recorded {

		String answer() {
			return "ungated";
		}

	}

	@LeaderOnly
	static class AnnotatedSmart extends Recorded.Smart {

	}

	static class Heir extends AnnotatedSmart {

	}

	@LeaderOnly("${which}")
	static class Other extends Recorded.Smart {

	}

	@LeaderOnly
	static class WatchingItsLease extends Recorded {

		private final LeaderElection elections;

		volatile boolean ledWhenStopped;

		WatchingItsLease(LeaderElection elections) {
			this.elections = elections;
		}

		@Override
		public void stop() {
			super.stop();
			this.ledWhenStopped = this.elections.isLeader("orders");
		}

	}

	static class SmartWatchingItsLease extends WatchingItsLease implements SmartLifecycle {

		SmartWatchingItsLease(LeaderElection elections) {
			super(elections);
		}

		@Override
		public boolean isAutoStartup() {
			return false;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Methods {

		@Bean
		@LeaderOnly
		Recorded plain() {
			return new Recorded();
		}

		@Bean
		@LeaderOnly
		Recorded.Smart smart() {
			return new Recorded.Smart();
		}

		@Bean
		@LeaderOnly
		Supplier<String> declaredWide() {
			return new Wide();
		}

		@Bean
		@Lazy
		@LeaderOnly
		Recorded.Smart lazy() {
			return new Recorded.Smart();
		}

		@Bean
		@LeaderOnly
		StartedFactory made() {
			return new StartedFactory();
		}

		String ungated() {
			return "ungated";
		}

	}

	static final class Wide extends Recorded.Smart implements Supplier<String> {

		@Override
		public String get() {
			return "wide";
		}

	}

	/** Like that of a Quartz scheduler: the factory can be started, its product can't. */
	static class StartedFactory extends Recorded.Smart implements FactoryBean<String> {

		@Override
		public String getObject() {
			return "made";
		}

		@Override
		public Class<?> getObjectType() {
			return String.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoLifecycle {

		@Bean
		@LeaderOnly
		CharSequence sequence() {
			return "sequence";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Starter {

		@Bean
		Object starter(Lifecycle listener) {
			listener.start();
			return new Object();
		}

	}

	/** Like those of the libraries: starts its containers unless told not to. */
	static class Registry implements SmartLifecycle {

		private final Map<String, Recorded.Smart> containers = new ConcurrentHashMap<>(
				Map.of("one", new Recorded.Smart(), "two", new Recorded.Smart()));

		public Recorded.Smart getListenerContainer(String id) {
			return this.containers.get(id);
		}

		public Set<String> getListenerContainerIds() {
			return this.containers.keySet();
		}

		@Override
		public void start() {
			this.containers.values().stream().filter(SmartLifecycle::isAutoStartup).forEach(Lifecycle::start);
		}

		@Override
		public void stop() {
			this.containers.values().forEach(Lifecycle::stop);
		}

		@Override
		public boolean isRunning() {
			return this.containers.values().stream().anyMatch(Lifecycle::isRunning);
		}

	}

}
