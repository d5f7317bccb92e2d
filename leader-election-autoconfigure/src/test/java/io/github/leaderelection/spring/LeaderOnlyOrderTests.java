package io.github.leaderelection.spring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.integration.transaction.PseudoTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of the position of the gate among other advice.
 */
class LeaderOnlyOrderTests {

	private static final List<String> events = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@BeforeEach
	void prepare() {
		events.clear();
	}

	/**
	 * Return the surroundings of a call, the order of the gate, and the events of calls
	 * that are skipped and of calls that are let in.
	 */
	static Stream<Arguments> surroundings() {
		return Stream.of(Arguments.of(List.of(Transactions.class), null, List.of(), List.of("begin", "run", "commit")),
				Arguments.of(List.of(OrderedTransactions.class), 101, List.of("begin", "commit"),
						List.of("begin", "run", "commit")),
				Arguments.of(List.of(OrderedTransactions.class), 100, List.of(), List.of("begin", "run", "commit")),
				Arguments.of(List.of(OrderedTransactions.class, Watch.class), 50, List.of("watch"),
						List.of("watch", "begin", "run", "commit")),
				Arguments.of(List.of(Watch.class), null, List.of(), List.of("watch", "run")),
				Arguments.of(List.of(LateProxies.class), null, List.of(), List.of("late", "run")));
	}

	@ParameterizedTest
	@MethodSource("surroundings")
	void gateAppliesAtItsConfiguredOrder(List<Class<?>> configuration, @Nullable Integer order, List<String> skipped,
			List<String> letIn) {
		this.runner.withUserConfiguration(configuration.toArray(Class[]::new))
			.withBean("jobs", Jobs.class)
			.withPropertyValues((order != null) ? "leader-election.gate.order=" + order : "unused=")
			.run((context) -> {
				context.getBean(Jobs.class).transactional();
				assertThat(events).isEqualTo(skipped);
				events.clear();
				TestGate gate = GateRunner.gate(context).leading("orders");
				context.getBean(Jobs.class).transactional();
				assertThat(events).isEqualTo(letIn);
				assertThat(gate.inFlight("orders")).isZero();
			});
	}

	@Test
	void gateIsOutsideOfRetriesThatAreAddedLater() {
		this.runner.withUserConfiguration(Resilience.class).withBean(Jobs.class).run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			assertThatExceptionOfType(NotLeaderException.class).isThrownBy(jobs::retried);
			assertThat(GateRunner.gate(context).asked()).hasSize(1);
		});
	}

	@Test
	void proxyHasASingleGate() {
		this.runner.withUserConfiguration(Transactions.class, Resilience.class, Asynchrony.class)
			.withBean(Jobs.class)
			.run((context) -> assertThat(((Advised) context.getBean(Jobs.class)).getAdvisors())
				.filteredOn(GateAdvisor.class::isInstance)
				.hasSize(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void asynchronousCallIsGatedAndInterruptedOnItsThread(boolean lost) {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			TestTerm term = gate.term("orders");
			CountDownLatch proceed = new CountDownLatch(1);
			context.getBean(AsyncJobs.class).run(proceed);
			Awaitility.await().until(() -> term.inFlight() == 1);
			assertThat(TestTerm.current()).isNull();
			if (lost) {
				gate.lose("orders");
			}
			else {
				proceed.countDown();
			}
			Awaitility.await().until(() -> term.inFlight() == 0);
			assertThat(events).containsExactly(lost ? "interrupted" : "ran");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void asynchronousCallIsSkippedOnAFollower() {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			AsyncJobs jobs = context.getBean(AsyncJobs.class);
			jobs.run(new CountDownLatch(0));
			assertThat(jobs.compute()).succeedsWithin(30, TimeUnit.SECONDS).isNull();
			assertThat(jobs.strict()).failsWithin(30, TimeUnit.SECONDS)
				.withThrowableThat()
				.withCauseInstanceOf(NotLeaderException.class);
			Awaitility.await().until(() -> GateRunner.gate(context).asked().size() == 3);
			assertThat(events).isEmpty();
		});
	}

	@Test
	void otherMethodsOfAnAsynchronousBeanAreGatedInTheCallersThread() {
		this.runner.withUserConfiguration(Asynchrony.class, Transactions.class)
			.withBean(AsyncJobs.class)
			.run((context) -> {
				context.getBean(AsyncJobs.class).plain();
				assertThat(events).isEmpty();
				GateRunner.gate(context).leading("orders");
				context.getBean(AsyncJobs.class).plain();
				assertThat(events).containsExactly("begin", "plain", "commit");
			});
	}

	static class Jobs {

		@LeaderOnly
		@Transactional
		public void transactional() {
			events.add("run");
		}

		@LeaderOnly(otherwise = Otherwise.THROW)
		@Retryable(delay = 1)
		public void retried() {
		}

		@Async
		public void elsewhere() {
		}

	}

	static class AsyncJobs {

		@Async
		@LeaderOnly
		public void run(CountDownLatch proceed) {
			try {
				proceed.await();
				events.add("ran");
			}
			catch (InterruptedException ex) {
				events.add("interrupted");
			}
		}

		@Async
		@LeaderOnly
		public CompletableFuture<String> compute() {
			return CompletableFuture.supplyAsync(() -> "computed");
		}

		@Async
		@LeaderOnly(otherwise = Otherwise.THROW)
		public CompletableFuture<String> strict() {
			return CompletableFuture.completedFuture("strict");
		}

		@LeaderOnly
		@Transactional
		public void plain() {
			events.add("plain");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import(RecordingTransactionManager.class)
	static class Transactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 100)
	@Import(RecordingTransactionManager.class)
	static class OrderedTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchrony {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilience {

	}

	@Configuration(proxyBeanMethods = false)
	static class LateProxies {

		@Bean
		static BeanNameAutoProxyCreator lateProxies() {
			BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
			creator.setBeanNames("jobs");
			creator.setInterceptorNames("late");
			creator.setProxyTargetClass(true);
			creator.setOrder(Ordered.LOWEST_PRECEDENCE);
			return creator;
		}

		@Bean
		static MethodInterceptor late() {
			return (invocation) -> {
				events.add("late");
				return invocation.proceed();
			};
		}

	}

	@Aspect
	@Order(10)
	static class Watch {

		@Around("execution(* transactional())")
		Object watch(ProceedingJoinPoint call) throws Throwable {
			events.add("watch");
			return call.proceed();
		}

	}

	/** Records when transactions begin and commit. */
	static class RecordingTransactionManager extends PseudoTransactionManager implements TransactionExecutionListener {

		private static final long serialVersionUID = 1L;

		RecordingTransactionManager() {
			addListener(this);
		}

		@Override
		public void beforeBegin(TransactionExecution transaction) {
			events.add("begin");
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			events.add("commit");
		}

	}

}
