package io.github.leaderelection.spring;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of beans that the gate of their own context does not see: beans of contexts above
 * or below the one that has it, and beans that are created before it.
 */
class LeaderOnlyContextTests {

	private static final AtomicInteger calls = new AtomicInteger();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@ParameterizedTest
	@ValueSource(classes = { Empty.class, LeaderOnlyAutoConfiguration.class })
	void grandchildOfAnApplicationIsGatedOnceAndNamesElectionsByItsOwnProperties(Class<?> source) {
		SpringApplicationBuilder parent = builder(ParentConfiguration.class);
		SpringApplicationBuilder child = parent.child(Empty.class).web(WebApplicationType.NONE);
		try (ConfigurableApplicationContext grandchild = child.child(PlaceholderJob.class, source)
			.web(WebApplicationType.NONE)
			.properties("job.election=night")
			.run()) {
			assertThat(grandchild.getBean(PlaceholderJob.class).run()).isNull();
			assertThat(grandchild.getBean(TestGate.class).asked()).containsExactly("night");
			assertThat(grandchild.getBeanFactory().getBeanNamesForType(LeaderOnlyPostProcessor.class)).hasSize(1);
		}
		finally {
			child.context().close();
			parent.context().close();
		}
	}

	@Test
	void manuallyCreatedChildIsRefused() {
		withChild(
				(child) -> assertThatThrownBy(child::refresh).isInstanceOf(InvalidLeaderOnlyException.class)
					.hasMessageContaining("@LeaderOnly on bean 'job' (" + Job.class.getName() + ") can't be enforced: "
							+ "its application context has no gate, only its parent context has one. "
							+ "Import LeaderOnlyConfiguration into its context, or move the bean"),
				JobConfiguration.class);
	}

	static Stream<Named<Consumer<GenericApplicationContext>>> whatIsMadeLater() {
		return Stream.of(
				Named.of("lazy bean",
						(child) -> child.registerBean(Job.class, (definition) -> definition.setLazyInit(true))),
				Named.of("product of a factory bean", (child) -> child.registerBean("job", JobFactory.class)),
				Named.of("component", (child) -> child.registerBean(BoundConfiguration.class)));
	}

	@ParameterizedTest
	@MethodSource("whatIsMadeLater")
	void childWithLateBeansIsRefused(Consumer<GenericApplicationContext> beans) {
		withChild((child) -> {
			beans.accept(child);
			assertThatThrownBy(child::refresh).isInstanceOf(InvalidLeaderOnlyException.class);
		}, Empty.class);
	}

	@Test
	void prototypeOfAHiddenClassIsRefusedWhenCreated() {
		withChild((child) -> {
			child.refresh();
			assertThatThrownBy(() -> child.getBean("job")).rootCause().isInstanceOf(InvalidLeaderOnlyException.class);
		}, HiddenPrototypeConfiguration.class);
	}

	/** Another thread may publish events, and errors of listeners may be handled. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void childIsRefusedWithAnyEventMulticaster(boolean handled) {
		this.runner.withBean("applicationEventMulticaster", SimpleApplicationEventMulticaster.class, () -> {
			SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
			if (handled) {
				multicaster.setErrorHandler((failure) -> {
				});
			}
			else {
				multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
			}
			return multicaster;
		}).run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context);
				child.register(JobConfiguration.class);
				if (handled) {
					child.refresh();
					assertThat(child.isActive()).isFalse();
				}
				else {
					assertThatThrownBy(child::refresh).isInstanceOf(InvalidLeaderOnlyException.class);
				}
			}
		});
	}

	@Test
	void contextOfActuatorStarts() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(WebConfiguration.class)
			.properties("server.port=0", "management.server.port=0", "leader-election.enabled=false",
					"spring.main.banner-mode=off")
			.run()) {
			assertThat(context.getEnvironment().getProperty("local.management.port", Integer.class))
				.isNotEqualTo(context.getEnvironment().getProperty("local.server.port", Integer.class))
				.isPositive();
		}
	}

	@Test
	void beanOfAParentWithoutGateIsRefused() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Empty.class)) {
			this.runner.withParent(parent).run((context) -> assertThat(context).hasNotFailed());
		}
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(
				JobConfiguration.class)) {
			this.runner.withParent(parent)
				.run((context) -> assertThat(GateRunner.failure(context))
					.hasMessageStartingWith("@LeaderOnly on bean 'job' (" + Job.class.getName()
							+ ") can't be enforced: its application context has no gate, only a child context has one"));
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { EarlyPostProcessor.class, OrderedPostProcessor.class })
	void prototypeThatIsMadeForAPostProcessorIsRefused(Class<?> postProcessor) {
		calls.set(0);
		this.runner
			.withBean("job", Job.class, Job::new, (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.withInitializer((context) -> {
				RootBeanDefinition definition = new RootBeanDefinition(postProcessor);
				definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
				((GenericApplicationContext) context).registerBeanDefinition("postProcessor", definition);
			})
			.run((context) -> {
				assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on bean 'job' ("
						+ Job.class.getName() + ") can't be enforced: the bean has no gate");
				assertThat(calls).hasValue(0);
			});
	}

	private void withChild(Consumer<AnnotationConfigApplicationContext> test, Class<?>... configuration) {
		this.runner.run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context.getSourceApplicationContext());
				child.register(configuration);
				test.accept(child);
			}
		});
	}

	private static SpringApplicationBuilder builder(Class<?> source) {
		return new SpringApplicationBuilder(source).web(WebApplicationType.NONE)
			.properties("spring.application.name=orders", "spring.main.banner-mode=off");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ LeaderOnlyAutoConfiguration.class, TestGate.class })
	static class ParentConfiguration {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Job.class)
	@EnableAutoConfiguration(excludeName = { "org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration",
			"org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration" })
	static class WebConfiguration {

	}

	static class Empty {

	}

	@Configuration(proxyBeanMethods = false)
	static class JobConfiguration {

		@Bean
		Job job() {
			return new Job();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenPrototypeConfiguration {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		Object job() {
			return new Job();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BoundConfiguration {

		@Bean
		@Lazy
		@LeaderOnly
		SimpleAsyncTaskScheduler scheduler() {
			return new SimpleAsyncTaskScheduler();
		}

	}

	static class JobFactory implements FactoryBean<Job> {

		@Override
		public Job getObject() {
			return new Job();
		}

		@Override
		public Class<?> getObjectType() {
			return Job.class;
		}

	}

	static class EarlyPostProcessor extends OrderedPostProcessor implements PriorityOrdered {

		EarlyPostProcessor(Job job) {
			super(job);
		}

	}

	static class OrderedPostProcessor implements BeanPostProcessor, Ordered {

		OrderedPostProcessor(Job job) {
			job.run();
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class Job {

		@LeaderOnly("child")
		public String run() {
			calls.incrementAndGet();
			return "ran";
		}

	}

	static class PlaceholderJob {

		@LeaderOnly("${job.election}")
		public String run() {
			return "ran";
		}

	}

}
