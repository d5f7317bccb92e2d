package io.github.leaderelection.spring;

import java.io.Closeable;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of which methods are gated, and how plain calls are, and calls by the container
 * that are not refused.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaderOnlyGatingTests {

	private static final List<String> called = new ArrayList<>();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@BeforeEach
	void prepare() {
		called.clear();
	}

	@Test
	void runsOnTheLeaderAndIsSkippedOnAFollower() {
		this.runner.withBean(Jobs.class).run((context) -> {
			assertThat(GateRunner.gate(context).stood()).containsExactly("nightly", "orders", "strict");
			Jobs jobs = context.getBean(Jobs.class);
			assertThat(jobs.nightly("a")).isNull();
			jobs.unnamed();
			assertThat(jobs.runs()).isEmpty();
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::strict)
				.withMessage("LeaderOnlyGatingTests.Jobs.strict was refused: "
						+ "this instance does not lead election 'strict'")
				.satisfies((ex) -> assertThat(ex.getElection()).isEqualTo("strict"));
			assertThat(GateRunner.gate(context).asked()).containsExactly("nightly", "orders", "strict");
			assertThat(GateRunner.gate(context).refused()).containsExactly("nightly skipped", "orders skipped",
					"strict rejected");
			GateRunner.gate(context).leading("nightly");
			assertThat(jobs.nightly("a")).isEqualTo("ran a");
		});
	}

	@Test
	void callIsInFlightUntilItReturnsOrFails() {
		this.runner.withBean(Probe.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("probe");
			List<Object> seen = new ArrayList<>();
			IOException failure = new IOException("disk full");
			for (Exception thrown : Arrays.asList(null, failure)) {
				assertThat(catchThrowable(() -> context.getBean(Probe.class).run(() -> {
					seen.add(gate.inFlight("probe"));
					seen.add(TestTerm.current());
					if (thrown != null) {
						throw thrown;
					}
				}))).isSameAs(thrown);
				assertThat(seen).containsExactly(1, gate.term("probe").leadership());
				seen.clear();
				assertThat(gate.inFlight("probe")).isZero();
				assertThat(TestTerm.current()).isNull();
			}
		});
	}

	@Test
	void workOfALostTermIsNotSkippedInPart() {
		this.runner.withBean(Probe.class).withBean(Jobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("probe");
			Probe probe = context.getBean(Probe.class);
			Jobs jobs = context.getBean(Jobs.class);
			probe.run(() -> assertThat(jobs.nightly("a")).isNull());
			assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(() -> probe.run(() -> {
				gate.lose("probe");
				probe.run(jobs::unnamed);
			}));
			probe.run(jobs::unnamed);
			assertThat(jobs.runs()).isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource({ "true, true, true", "true, false, false", "false, true, false" })
	void lossInterruptsIfAnnotationAndPropertyAllow(boolean property, boolean annotation, boolean interrupts) {
		this.runner.withBean(Probe.class)
			.withPropertyValues("leader-election.interrupt-on-loss=" + property)
			.run((context) -> {
				TestGate gate = GateRunner.gate(context).leading("probe");
				Probe probe = context.getBean(Probe.class);
				AtomicReference<Boolean> interrupted = new AtomicReference<>();
				Task task = () -> {
					gate.lose("probe");
					interrupted.set(Thread.currentThread().isInterrupted());
				};
				if (annotation) {
					probe.run(task);
				}
				else {
					probe.runToTheEnd(task);
				}
				assertThat(interrupted).hasValue(interrupts);
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
	}

	@Test
	void classAnnotationGatesEveryMethodButThoseOfObject() {
		this.runner.withBean(GatedClass.class).run((context) -> {
			GatedClass bean = context.getBean(GatedClass.class);
			assertThat(bean.open()).isNull();
			assertThat(bean.shared()).isNull();
			assertThat(bean.local()).isNull();
			assertThat(bean.inherited()).isNull();
			assertThat(bean).hasToString("itself");
			assertThat(bean.special()).isNull();
			assertThat(GateRunner.gate(context).asked()).containsExactly("class", "class", "class", "class", "method");
		});
	}

	@Test
	void metaAnnotationsGate() {
		this.runner.withBean(MetaAnnotated.class).run((context) -> {
			MetaAnnotated bean = context.getBean(MetaAnnotated.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(bean::fixed)
				.withMessageContaining("'cleanup'");
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(bean::named)
				.withMessageContaining("'archive'");
		});
	}

	@Test
	void annotationOfAnEnclosingClassDoesNotCount() {
		this.runner.withBean(GatedClass.Nested.class).run((context) -> {
			assertThat(context.getBean(GatedClass.Nested.class).open()).isEqualTo("nested");
			assertThat(GateRunner.gate(context).asked()).isEmpty();
		});
	}

	/**
	 * Placeholders are replaced, a default can be set, and the nearest annotation counts.
	 */
	@Test
	void nameOfTheElectionIsResolved() {
		this.runner.withBean(NearestFirst.class)
			.withPropertyValues("region=eu", "leader-election.default-election=main")
			.run((context) -> {
				NearestFirst bean = context.getBean(NearestFirst.class);
				bean.placeholders();
				bean.unnamed();
				bean.print();
				assertThat(GateRunner.gate(context).asked()).containsExactly("report-eu-all", "main", "own");
			});
	}

	@Test
	void methodOfAnInterfaceThatExtendsOneOfSpringIsGated() throws ClassNotFoundException {
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
	void methodsNotCalledByTheContainerAreGated() {
		this.runner.withUserConfiguration(NoDestroyMethod.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(Closing.class).setName("night");
			context.getBean(Closing.class).close();
			assertThat(GateRunner.gate(context).asked()).hasSize(2);
		});
	}

	@Test
	void callbacksOfAnAnnotatedClassRunOnEveryInstance() {
		this.runner.withBean(CalledBack.class).run((context) -> {
			CalledBack bean = context.getBean(CalledBack.class);
			assertThat(called).containsExactly("environment", "initialized", "afterPropertiesSet");
			bean.run();
			assertThat(GateRunner.gate(context).asked()).containsExactly("class");
			assertThat(bean.getOrder()).isEqualTo(7);
			// Other callers are gated
			bean.initialize();
			assertThat(called).hasSize(3);
		});
		assertThat(called).containsExactly("environment", "initialized", "afterPropertiesSet", "destroyed", "closed");
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
	void scheduledMethodThatThrowsCausesOneWarning(CapturedOutput output) {
		this.runner.withBean("one", ScheduledToThrow.class)
			.withBean("two", ScheduledToThrow.class)
			.withBean("three", Heir.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("ScheduledToThrow.run is scheduled")
					.containsOnlyOnce("ScheduledToThrow.twice is scheduled")
					.contains("otherwise = THROW")
					.doesNotContain("Heir", "ScheduledToThrow.skipped is scheduled",
							"ScheduledToThrow.other is scheduled");
			});
	}

	interface Task {

		void run() throws Exception;

	}

	static class Jobs {

		private final List<String> runs = new ArrayList<>();

		@LeaderOnly("nightly")
		public String nightly(String name) {
			this.runs.add("nightly");
			return "ran " + name;
		}

		@LeaderOnly
		public void unnamed() {
			this.runs.add("unnamed");
		}

		@LeaderOnly(value = "strict", otherwise = Otherwise.THROW)
		public int strict() {
			this.runs.add("strict");
			return 1;
		}

		public List<String> runs() {
			return this.runs;
		}

	}

	static class Probe {

		@LeaderOnly("probe")
		public void run(Task task) throws Exception {
			task.run();
		}

		@LeaderOnly(value = "probe", interrupt = false)
		public void runToTheEnd(Task task) throws Exception {
			task.run();
		}

	}

	static class Base {

		public String inherited() {
			return "inherited";
		}

	}

	@LeaderOnly("class")
	static class GatedClass extends Base {

		public String open() {
			return "open";
		}

		protected String shared() {
			return "shared";
		}

		String local() {
			return "local" + hidden();
		}

		@LeaderOnly("method")
		public String special() {
			return "special";
		}

		private int hidden() {
			return 1;
		}

		@Override
		public String toString() {
			return "itself";
		}

		static class Nested {

			public String open() {
				return "nested";
			}

		}

	}

	@LeaderOnly(value = "cleanup", otherwise = Otherwise.THROW)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Cleanup {

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	@Retention(RetentionPolicy.RUNTIME)
	@interface Leading {

		@AliasFor(annotation = LeaderOnly.class, attribute = "value")
		String election();

	}

	static class MetaAnnotated {

		@Cleanup
		public void fixed() {
		}

		@Leading(election = "archive")
		public void named() {
		}

	}

	interface Printable {

		@LeaderOnly("printable")
		String print();

	}

	static class OwnAnnotation {

		@LeaderOnly("own")
		public String print() {
			return "printed";
		}

	}

	static class NearestFirst extends OwnAnnotation implements Printable {

		@LeaderOnly("report-${region}-${scope:all}")
		public void placeholders() {
		}

		@LeaderOnly
		public void unnamed() {
		}

	}

	static class Closing implements Closeable {

		@Override
		@LeaderOnly
		public void close() {
		}

		@LeaderOnly
		public void setName(String name) {
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
	static class CalledBack implements InitializingBean, DisposableBean, EnvironmentAware, Ordered, AutoCloseable {

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

		@Scheduled(fixedDelay = 60_000)
		@LeaderOnly
		public void skipped() {
		}

	}

	static class Heir extends ScheduledToThrow {

		/** No longer scheduled. */
		@Override
		@LeaderOnly(otherwise = Otherwise.THROW)
		public void run() {
		}

	}

}
