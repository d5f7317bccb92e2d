package io.github.leaderelection.spring;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.context.event.SpringApplicationEvent;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
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

	@ParameterizedTest
	@ValueSource(classes = { Runner.class, RunnerClass.class, CommandLine.class, Refreshed.class, Ready.class,
			StartedClass.class, AnyOfBoot.class, OneOfTwo.class, WebServer.class, GenericReady.class })
	void methodThatRunsAtStartup(Class<?> beanClass) {
		this.runner.withBean(beanClass)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageStartingWith("@LeaderOnly on " + PLACE)
				.hasMessageEndingWith(" can't be enforced: it is called at startup, when nobody leads yet, and would "
						+ "never run. Move it to a Candidate, which is called when this instance has begun to lead"));
	}

	@ParameterizedTest
	@ValueSource(classes = { PropertiesBean.class, PropertiesMethod.class })
	void setterThatBindsProperties(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.withPropertyValues("job.name=night")
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(ON_THE_BEAN));
	}

	@Test
	void setterThatTheBeanDefinitionNames() {
		for (Consumer<AbstractBeanDefinition> way : List.<Consumer<AbstractBeanDefinition>>of(
				(definition) -> definition.getPropertyValues().add("name", "night"),
				(definition) -> definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_BY_NAME))) {
			this.runner.withInitializer((context) -> {
				RootBeanDefinition definition = new RootBeanDefinition(Setting.class);
				way.accept(definition);
				((GenericApplicationContext) context).registerBeanDefinition("setting", definition);
			}).run((context) -> assertThat(GateRunner.failure(context)).hasMessageEndingWith(ON_THE_BEAN));
		}
	}

	@Test
	void setterThatOthersCallIsGated() {
		this.runner.withBean(Setting.class).run((context) -> {
			context.getBean(Setting.class).setName("night");
			assertThat(GateRunner.gate(context).asked()).hasSize(1);
		});
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
	void listenersPassTheGate() {
		called.clear();
		this.runner.withBean(Listener.class).withBean(ListenerMethod.class).run((context) -> {
			context.publishEvent(new Told(this));
			assertThat(called).isEmpty();
			GateRunner.gate(context).leading("class");
			context.publishEvent(new Told(this));
			assertThat(called).containsExactlyInAnyOrder("listener", "method");
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
		@LeaderOnly
		public void run(ApplicationArguments arguments) {
		}

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	static class RunnerClass implements ApplicationRunner {

		@Override
		public void run(ApplicationArguments arguments) {
		}

	}

	static class CommandLine implements CommandLineRunner {

		@Override
		@LeaderOnly
		public void run(String... arguments) {
		}

	}

	static class Refreshed implements ApplicationListener<ContextRefreshedEvent> {

		@Override
		@LeaderOnly
		public void onApplicationEvent(ContextRefreshedEvent event) {
		}

	}

	static class Ready {

		@EventListener(ApplicationReadyEvent.class)
		@LeaderOnly
		void run() {
		}

	}

	@LeaderOnly
	static class StartedClass {

		@EventListener
		void on(ApplicationStartedEvent event) {
		}

	}

	static class AnyOfBoot {

		@EventListener
		@LeaderOnly
		void on(SpringApplicationEvent event) {
		}

	}

	static class OneOfTwo {

		@EventListener({ Told.class, ApplicationReadyEvent.class })
		@LeaderOnly
		void on(ApplicationEvent event) {
		}

	}

	static class WebServer {

		@EventListener
		@LeaderOnly
		void on(ServletWebServerInitializedEvent event) {
		}

	}

	abstract static class Generic<E extends ApplicationEvent> implements ApplicationListener<E> {

		@Override
		@LeaderOnly
		public void onApplicationEvent(E event) {
		}

	}

	static class GenericReady extends Generic<ApplicationReadyEvent> {

	}

	static class Setting {

		@LeaderOnly
		public void setName(String name) {
		}

	}

	@ConfigurationProperties("job")
	static class BoundSetting extends Setting {

	}

	@EnableConfigurationProperties(BoundSetting.class)
	static class PropertiesBean {

	}

	@EnableConfigurationProperties
	static class PropertiesMethod {

		@Bean
		@ConfigurationProperties("job")
		Setting setting() {
			return new Setting();
		}

	}

}
