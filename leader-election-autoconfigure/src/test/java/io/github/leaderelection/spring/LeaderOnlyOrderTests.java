package io.github.leaderelection.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.TestTerm;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of where the gate stands among other advice.
 */
class LeaderOnlyOrderTests {

	private static final List<String> events = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner runner = GateRunner.follower();

	@BeforeEach
	void prepare() {
		events.clear();
	}

	@Test
	void skippedCallOpensNoTransaction() {
		this.runner.withUserConfiguration(Transactions.class).withBean(Jobs.class).run((context) -> {
			context.getBean(Jobs.class).transactional();
			assertThat(events).isEmpty();
		});
	}

	@Test
	void callThatIsLetInHasItsTransaction() {
		this.runner.withUserConfiguration(Transactions.class).withBean(Jobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			context.getBean(Jobs.class).transactional();
			assertThat(events).containsExactly("begin", "run", "commit");
			assertThat(gate.inFlight("orders")).isZero();
		});
	}

	@Test
	void callIsInFlightUntilItsTransactionHasEnded() {
		this.runner.withUserConfiguration(Transactions.class).withBean(Jobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			List<Integer> atCommit = new ArrayList<>();
			context.getBean(RecordingTransactionManager.class).onCommit(() -> atCommit.add(gate.inFlight("orders")));
			context.getBean(Jobs.class).transactional();
			assertThat(atCommit).containsExactly(1);
		});
	}

	@Test
	void gateOfGreaterOrderThanTheTransactionIsInside() {
		this.runner.withUserConfiguration(OrderedTransactions.class)
			.withBean(Jobs.class)
			.withPropertyValues("leader-election.gate.order=101")
			.run((context) -> {
				context.getBean(Jobs.class).transactional();
				assertThat(events).containsExactly("begin", "commit");
			});
	}

	@Test
	void gateOfTheSameOrderAsTheTransactionIsOutside() {
		this.runner.withUserConfiguration(OrderedTransactions.class)
			.withBean(Jobs.class)
			.withPropertyValues("leader-election.gate.order=100")
			.run((context) -> {
				context.getBean(Jobs.class).transactional();
				assertThat(events).isEmpty();
			});
	}

	@Test
	void gateCanStandBetweenAnAspectAndTheTransaction() {
		this.runner.withUserConfiguration(OrderedTransactions.class)
			.withBean(Watch.class)
			.withBean(Jobs.class)
			.withPropertyValues("leader-election.gate.order=50")
			.run((context) -> {
				context.getBean(Jobs.class).transactional();
				assertThat(events).containsExactly("watch");
			});
	}

	@Test
	void gateIsOutsideOfAspectsByDefault() {
		this.runner.withBean(Watch.class).withBean(Jobs.class).run((context) -> {
			context.getBean(Jobs.class).transactional();
			assertThat(events).isEmpty();
			GateRunner.gate(context).leading("orders");
			context.getBean(Jobs.class).transactional();
			assertThat(events).containsExactly("watch", "run");
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
	void gateIsOutsideOfAProxyThatIsPutAroundIt() {
		this.runner.withUserConfiguration(LateProxies.class).withBean("jobs", Jobs.class).run((context) -> {
			context.getBean(Jobs.class).transactional();
			assertThat(events).isEmpty();
			TestGate gate = GateRunner.gate(context).leading("orders");
			context.getBean(Jobs.class).transactional();
			assertThat(events).containsExactly("late", "run");
			assertThat(gate.inFlight("orders")).isZero();
		});
	}

	@Test
	void gateStandsInTheProxyOnce() {
		this.runner.withUserConfiguration(Transactions.class, Resilience.class, Asynchrony.class)
			.withBean(Jobs.class)
			.run((context) -> assertThat(((Advised) context.getBean(Jobs.class)).getAdvisors())
				.filteredOn(GateAdvisor.class::isInstance)
				.hasSize(1));
	}

	@Test
	void asynchronousVoidCallIsGatedWhereItRuns() {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			CountDownLatch proceed = new CountDownLatch(1);
			context.getBean(AsyncJobs.class).run(proceed);
			Awaitility.await().until(() -> gate.inFlight("orders") == 1);
			assertThat(TestTerm.current()).isNull();
			proceed.countDown();
			Awaitility.await().until(() -> gate.inFlight("orders") == 0);
			assertThat(events).containsExactly("ran");
		});
	}

	@Test
	void lossInterruptsTheThreadOfAnAsynchronousCall() {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			context.getBean(AsyncJobs.class).run(new CountDownLatch(1));
			Awaitility.await().until(() -> gate.inFlight("orders") == 1);
			gate.lose("orders");
			Awaitility.await().until(() -> events.contains("interrupted"));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	void asynchronousCallIsSkippedOnAFollower() {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			AsyncJobs jobs = context.getBean(AsyncJobs.class);
			jobs.run(new CountDownLatch(0));
			assertThat(jobs.compute()).succeedsWithin(30, TimeUnit.SECONDS).isNull();
			Awaitility.await().until(() -> GateRunner.gate(context).asked().size() == 2);
			assertThat(events).isEmpty();
		});
	}

	@Test
	void refusalOfAnAsynchronousCallFailsItsFuture() {
		this.runner.withUserConfiguration(Asynchrony.class)
			.withBean(AsyncJobs.class)
			.run((context) -> assertThat(context.getBean(AsyncJobs.class).strict()).failsWithin(30, TimeUnit.SECONDS)
				.withThrowableThat()
				.withCauseInstanceOf(NotLeaderException.class));
	}

	@Test
	void asynchronousCallWithAResultIsInFlightUntilTheResultIsThere() {
		this.runner.withUserConfiguration(Asynchrony.class).withBean(AsyncJobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context).leading("orders");
			assertThat(context.getBean(AsyncJobs.class).compute()).succeedsWithin(30, TimeUnit.SECONDS)
				.isEqualTo("computed");
			Awaitility.await().until(() -> gate.inFlight("orders") == 0);
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

	@Test
	void scheduledRunsAreGated() {
		this.runner.withUserConfiguration(Scheduling.class).withBean(ScheduledJobs.class).run((context) -> {
			TestGate gate = GateRunner.gate(context);
			Awaitility.await().until(() -> gate.asked().size() > 1);
			assertThat(events).isEmpty();
			gate.leading("orders");
			Awaitility.await().until(() -> events.contains("scheduled"));
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

	static class ScheduledJobs {

		@LeaderOnly
		@Scheduled(fixedDelay = 1)
		void run() {
			events.add("scheduled");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		RecordingTransactionManager transactionManager() {
			return new RecordingTransactionManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 100)
	static class OrderedTransactions {

		@Bean
		RecordingTransactionManager transactionManager() {
			return new RecordingTransactionManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchrony {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

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

	static class RecordingTransactionManager extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private transient Runnable onCommit = () -> {
		};

		void onCommit(Runnable onCommit) {
			this.onCommit = onCommit;
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			events.add("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.onCommit.run();
			events.add("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			events.add("rollback");
		}

	}

}
