package io.github.leaderelection.spring;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of methods that the container calls.
 */
class LeaderOnlyCallbackTests {

	private static final String PLACE = LeaderOnlyCallbackTests.class.getName() + "$";

	private static final String ON_THE_BEAN = "the container calls it on the bean itself, on every instance. "
			+ "Move what only the leader may do to a Candidate, or to a method of another bean";

	private static final String WITHOUT_A_LEADER = "the container calls it on every instance, when nobody leads yet "
			+ "or any more. ";

	private static List<String> called = new ArrayList<>();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@ParameterizedTest
	@ValueSource(classes = { Initialized.class, Destroyed.class, AfterProperties.class, Disposable.class, Closing.class,
			Aware.class, Injected.class })
	void callbackOnTheBeanItself(Class<?> beanClass) {
		called.clear();
		this.runner.withBean(beanClass).run((context) -> {
			assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(" can't be enforced: " + ON_THE_BEAN);
			assertThat(called).isEmpty();
		});
	}

	@Test
	void callbackIsNamed() {
		this.runner.withBean(Initialized.class)
			.run((context) -> assertThat(GateRunner.failure(context).getPlace())
				.isEqualTo(PLACE + "Initialized.run()"));
	}

	@ParameterizedTest
	@ValueSource(classes = { InitMethod.class, DestroyMethod.class, InferredDestroyMethod.class })
	void methodThatTheBeanDefinitionNames(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(ON_THE_BEAN));
	}

	@Test
	void closeIsGatedWhereTheContainerIsToldNotToCallIt() {
		this.runner.withUserConfiguration(NoDestroyMethod.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(Closing.class).close();
			assertThat(GateRunner.gate(context).asked()).hasSize(1);
		});
	}

	@Test
	void lazyBeanFailsBeforeTheCallback() {
		called.clear();
		this.runner.withBean("lazy", Initialized.class, Initialized::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThatThrownBy(() -> context.getBean("lazy")).rootCause()
					.isInstanceOf(InvalidLeaderOnlyException.class);
				assertThat(called).isEmpty();
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { Started.class, Singletons.class, Factory.class, Configurer.class })
	void callbackWhileNobodyLeads(Class<?> beanClass) {
		this.runner.withBean(beanClass)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(WITHOUT_A_LEADER
						+ "Move what only the leader may do to a Candidate, or to a method of another bean"));
	}

	@Test
	void callbackOfAnAnnotatedClassWhileNobodyLeads() {
		this.runner.withBean(SingletonsClass.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(WITHOUT_A_LEADER + "Annotate the methods of the class one by one"));
	}

	@Test
	void callbacksOfAnAnnotatedClassRunOnEveryInstance() {
		called.clear();
		this.runner.withBean(GatedClass.class).run((context) -> {
			GatedClass bean = context.getBean(GatedClass.class);
			assertThat(called).containsExactly("environment", "initialized", "afterPropertiesSet");
			bean.run();
			assertThat(GateRunner.gate(context).asked()).containsExactly("class");
			assertThat(bean.getOrder()).isEqualTo(7);
		});
		assertThat(called).containsExactly("environment", "initialized", "afterPropertiesSet", "destroyed", "closed");
	}

	@Test
	void callbackOfAnAnnotatedClassIsGatedForOtherCallers() {
		called.clear();
		this.runner.withBean(GatedClass.class).run((context) -> {
			called.clear();
			context.getBean(GatedClass.class).initialize();
			assertThat(called).isEmpty();
		});
	}

	@Test
	void listenersAndRunnersPassTheGate() {
		called.clear();
		this.runner.withBean(Listener.class).withBean(ListenerMethod.class).withBean(Runner.class).run((context) -> {
			context.publishEvent(new Told(this));
			context.getBean(Runner.class).run(null);
			assertThat(called).isEmpty();
			GateRunner.gate(context).leading("class");
			context.publishEvent(new Told(this));
			context.getBean(Runner.class).run(null);
			assertThat(called).containsExactlyInAnyOrder("listener", "method", "runner");
		});
	}

	static class Initialized {

		@PostConstruct
		@LeaderOnly
		public void run() {
			called.add("run");
		}

	}

	static class Destroyed {

		@PreDestroy
		@LeaderOnly(otherwise = Otherwise.THROW)
		void run() {
		}

	}

	static class AfterProperties implements InitializingBean {

		@Override
		@LeaderOnly
		public void afterPropertiesSet() {
			called.add("afterPropertiesSet");
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@LeaderOnly
		public void destroy() {
		}

	}

	static class Closing implements Closeable {

		@Override
		@LeaderOnly
		public void close() {
		}

	}

	static class Aware implements EnvironmentAware {

		@Override
		@LeaderOnly
		public void setEnvironment(Environment environment) {
			called.add("environment");
		}

	}

	static class Injected {

		@Autowired
		@LeaderOnly
		public void use(Environment environment) {
			called.add("use");
		}

	}

	static class Named {

		@LeaderOnly
		public void begin() {
		}

		public void end() {
		}

	}

	static class ShutDown {

		@LeaderOnly
		public void shutdown() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethod {

		@Bean(initMethod = "begin")
		Named named() {
			return new Named();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DestroyMethod {

		@Bean(destroyMethod = "begin")
		Named named() {
			return new Named();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredDestroyMethod {

		@Bean
		ShutDown shutDown() {
			return new ShutDown();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoDestroyMethod {

		@Bean(destroyMethod = "")
		Closing closing() {
			return new Closing();
		}

	}

	static class Started implements SmartLifecycle {

		@Override
		@LeaderOnly
		public void start() {
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class Singletons implements SmartInitializingSingleton {

		@Override
		@LeaderOnly
		public void afterSingletonsInstantiated() {
		}

	}

	@LeaderOnly
	static class SingletonsClass implements SmartInitializingSingleton {

		@Override
		public void afterSingletonsInstantiated() {
		}

	}

	static class Factory implements FactoryBean<StringBuilder> {

		@Override
		@LeaderOnly
		public StringBuilder getObject() {
			return new StringBuilder();
		}

		@Override
		public Class<?> getObjectType() {
			return StringBuilder.class;
		}

	}

	static class Configurer implements SchedulingConfigurer {

		@Override
		@LeaderOnly
		public void configureTasks(ScheduledTaskRegistrar taskRegistrar) {
		}

	}

	@LeaderOnly("class")
	static class GatedClass implements InitializingBean, DisposableBean, EnvironmentAware, Ordered, AutoCloseable {

		@Override
		public final void setEnvironment(Environment environment) {
			called.add("environment");
		}

		@PostConstruct
		public void initialize() {
			called.add("initialized");
		}

		@Override
		public void afterPropertiesSet() {
			called.add("afterPropertiesSet");
		}

		@PreDestroy
		public void end() {
			called.add("destroyed");
		}

		@Override
		public void destroy() {
			called.add("closed");
		}

		@Override
		public void close() {
		}

		@Override
		public int getOrder() {
			return 7;
		}

		public void run() {
			called.add("run");
		}

	}

	static class Told extends ApplicationEvent {

		Told(Object source) {
			super(source);
		}

	}

	@LeaderOnly("class")
	static class Listener implements ApplicationListener<Told> {

		@Override
		public void onApplicationEvent(Told event) {
			called.add("listener");
		}

	}

	static class ListenerMethod {

		@EventListener
		@LeaderOnly("class")
		public void on(Told event) {
			called.add("method");
		}

	}

	static class Runner implements ApplicationRunner {

		@Override
		@LeaderOnly("class")
		public void run(ApplicationArguments arguments) {
			called.add("runner");
		}

	}

}
