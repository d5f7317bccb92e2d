package io.github.leaderelection.spring;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of methods that the container calls, and are not refused.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyCallbackTests {

	private static List<String> called = new ArrayList<>();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@BeforeEach
	void prepare() {
		called.clear();
	}

	@Test
	void workIsGatedThoughAnInterfaceOfSpringDeclaresIt() throws ClassNotFoundException {
		Class<?> type = new MemoryCompiler().compile(Map.of("org.springframework.example.OrderedWork", """
				package org.springframework.example;
				public interface OrderedWork extends org.springframework.core.Ordered {
					String work();
				}
				""", "org.springframework.example.GatedWork", """
				package org.springframework.example;
				@io.github.leaderelection.LeaderOnly("class")
				public class GatedWork implements OrderedWork {
					public String work() { return "done"; }
					public int getOrder() { return 0; }
				}
				""")).loadClass("org.springframework.example.GatedWork");
		assertThat(LeaderOnlyMethods.in(List.of(type))).extracting((each) -> each.method().getName())
			.containsExactly("work");
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
	void setterThatOthersCallIsGated() {
		this.runner.withBean(Setting.class).run((context) -> {
			context.getBean(Setting.class).setName("night");
			assertThat(GateRunner.gate(context).asked()).hasSize(1);
		});
	}

	@Test
	void callbacksOfAnAnnotatedClassRunOnEveryInstance() {
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
		this.runner.withBean(GatedClass.class).run((context) -> {
			called.clear();
			context.getBean(GatedClass.class).initialize();
			assertThat(called).isEmpty();
		});
	}

	@Test
	void listenersPassTheGate() {
		this.runner.withBean(Listener.class).withBean(ListenerMethod.class).run((context) -> {
			context.publishEvent(new Told(this));
			assertThat(called).isEmpty();
			GateRunner.gate(context).leading("class");
			context.publishEvent(new Told(this));
			assertThat(called).containsExactlyInAnyOrder("listener", "method");
		});
	}

	@Test
	void scheduledMethodThatThrowsIsWarnedOfOnce(CapturedOutput output) {
		this.runner.withBean("one", ScheduledToThrow.class)
			.withBean("two", ScheduledToThrow.class)
			.withBean("three", Heir.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("ScheduledToThrow.run is scheduled")
					.containsOnlyOnce("ScheduledToThrow.twice is scheduled")
					.contains("otherwise = THROW")
					.doesNotContain("Heir");
			});
	}

	@Test
	void scheduledMethodThatSkipsIsNotWarnedOf(CapturedOutput output) {
		this.runner.withBean(ScheduledToSkip.class).run((context) -> assertThat(output).doesNotContain("is scheduled"));
	}

	static class Closing implements Closeable {

		@Override
		@LeaderOnly
		public void close() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoDestroyMethod {

		@Bean(destroyMethod = "")
		Closing closing() {
			return new Closing();
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

	static class Setting {

		@LeaderOnly
		public void setName(String name) {
		}

	}

	static class ScheduledToThrow {

		@Scheduled(fixedDelay = 60_000)
		@LeaderOnly(otherwise = Otherwise.THROW)
		public void run() {
		}

		@Schedules({ @Scheduled(fixedDelay = 60_000), @Scheduled(fixedDelay = 50_000) })
		@LeaderOnly(otherwise = Otherwise.THROW)
		public void twice() {
		}

		@LeaderOnly(otherwise = Otherwise.THROW)
		public void other() {
		}

	}

	static class Heir extends ScheduledToThrow {

	}

	static class ScheduledToSkip {

		@Scheduled(fixedDelay = 60_000)
		@LeaderOnly
		public void run() {
		}

	}

}
