package io.github.leaderelection.spring;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Otherwise;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.JobKey;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

import static io.github.leaderelection.spring.JobContexts.EVERY_SECOND;
import static io.github.leaderelection.spring.JobContexts.LONG;
import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static io.github.leaderelection.spring.JobContexts.NEW_YEARS_FIRE_TIME;
import static io.github.leaderelection.spring.JobContexts.awaitLeader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of recorded jobs on all kinds of schedulers, and of beans.
 */
@ExtendWith(OutputCaptureExtension.class)
class JobSchedulerTests {

	private final JobContexts contexts = new JobContexts();

	@ParameterizedTest
	@ValueSource(strings = { "Qualified.yearly", "Qualified.everySecond" })
	void schedulerOfAMethodIsUsedForAllItsRuns(String job) {
		this.contexts.recordedBefore("Qualified.yearly");
		ApplicationContextRunner runner = job.endsWith("yearly")
				? this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60)) : this.contexts.instance();
		runner.withUserConfiguration(Schedulers.class)
			.withBean(Qualified.class)
			.withPropertyValues("job.scheduler=other")
			.run((context) -> {
				Map<String, String> threads = context.getBean(NotingJob.class).threads();
				assertThat(await().atMost(LONG).until(() -> threads.get(job), Objects::nonNull)).startsWith("other-");
			});
	}

	private static String awaitThread(ApplicationContext context, String job) {
		Map<String, String> threads = context.getBean(NotingJob.class).threads();
		return await().atMost(LONG).until(() -> threads.get(job), Objects::nonNull);
	}

	static Stream<Arguments> ways() {
		return Stream.of(
				way("a thread for each run",
						(runner) -> runner.withBean(Interfaced.class)
							.withBean("taskScheduler", TaskScheduler.class, SimpleAsyncTaskScheduler::new),
						"SimpleAsync"),
				way("the scheduler of a configurer",
						(runner) -> runner.withBean(Interfaced.class)
							.withBean("configurer", SchedulingConfigurer.class, () -> configurer("own-")),
						"own-"),
				way("tasks that others have wrapped",
						(runner) -> runner.withBean(Interfaced.class)
							.withBean(SchedulingConfigurer.class, () -> JobSchedulerTests::wrapTasks),
						""),
				way("a proxy by interfaces",
						(runner) -> runner.withBean(Interfaced.class)
							.withPropertyValues("spring.aop.proxy-target-class=false"),
						""),
				way("virtual threads",
						(runner) -> runner.withBean(Interfaced.class)
							.withPropertyValues("spring.threads.virtual.enabled=true"),
						""),
				way("a lazy bean", (runner) -> runner.withBean("interfaced", Interfaced.class, Interfaced::new,
						(definition) -> definition.setLazyInit(true)), ""));
	}

	private static Arguments way(String name, UnaryOperator<ApplicationContextRunner> way, String thread) {
		return Arguments.of(Named.of(name, way), thread);
	}

	@ParameterizedTest
	@MethodSource("ways")
	void runsHaveFireTimes(UnaryOperator<ApplicationContextRunner> way, String thread) {
		way.apply(this.contexts.instance()).run((context) -> {
			assertRunsHaveFireTimes(context.getBean(Job.class).runs());
			assertThat(context.getBean(Job.class).threads().get("Interfaced.run")).startsWith(thread);
			assertThat(this.contexts.last("Interfaced.run")).isNotNull();
		});
	}

	@ParameterizedTest
	@CsvSource({ "Interfaced, true", "Interfaced, false", "Inheriting, true" })
	void missedRunIsLaunched(String bean, boolean byClass) {
		Class<? extends Interfaced> type = bean.equals("Interfaced") ? Interfaced.class : Inheriting.class;
		this.contexts.recordedBefore(bean + ".yearly");
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(type)
			.withPropertyValues("spring.aop.proxy-target-class=" + byClass)
			.run((context) -> this.contexts.awaitOutcome(bean + ".yearly", Outcome.SUCCEEDED));
	}

	@Test
	void severalCronExpressionsFormOneTimetable() {
		this.contexts.instance().withBean(Repeated.class).run((context) -> {
			assertRunsHaveFireTimes(context.getBean(Repeated.class).runs());
			assertThat(this.contexts.find("Repeated.run").timetable()).contains(NEW_YEAR + " UTC", " | ",
					EVERY_SECOND + " Europe/Berlin");
		});
	}

	@Test
	void metaAnnotationsAndResults() {
		this.contexts.instance().withBean(Meta.class).run((context) -> {
			await().atMost(LONG).until(() -> this.contexts.last("Meta.run") != null);
			assertThat(this.contexts.find("Meta.run").timetable()).startsWith(EVERY_SECOND);
		});
	}

	@Test
	void prototypesBecomeJobsWhenCreated() {
		this.contexts.instance()
			.withBean("interfaced", Interfaced.class, Interfaced::new,
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> {
				assertThat(context.getBean(RecordedJobs.class).status()).isEmpty();
				Job one = context.getBean(Job.class);
				Job other = context.getBean(Job.class);
				await().atMost(LONG).until(() -> one.runs().size() + other.runs().size() >= 2);
				List<JobRun> all = new CopyOnWriteArrayList<>(one.runs());
				all.addAll(other.runs());
				assertThat(all).doesNotContainNull().extracting(JobRun::fireTime).doesNotHaveDuplicates();
			});
	}

	@Test
	void schedulerOfALateConfigurerIsUsed() {
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Interfaced.class)
			.withUserConfiguration(Schedulers.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beanFactory) -> ((BeanDefinitionRegistry) beanFactory).registerBeanDefinition("late",
							new RootBeanDefinition(SchedulingConfigurer.class, () -> configurer("late-")))))
			.run((context) -> {
				awaitLeader(context);
				await().atMost(LONG).until(() -> this.contexts.find("Interfaced.yearly") != null);
				context.getBean(JobRuns.class).trigger("orders", "Interfaced.yearly");
				this.contexts.awaitOutcome("Interfaced.yearly", Outcome.SUCCEEDED);
				assertThat(context.getBean(Interfaced.class).threads().get("Interfaced.yearly")).startsWith("late-");
			});
	}

	@Test
	void scheduledTasksKeepTheirNamesAndCanBeCancelled() {
		this.contexts.instance().withBean(Interfaced.class).run((context) -> {
			ScheduledTaskHolder holder = context.getBean(ScheduledTaskHolder.class);
			assertThat(holder.getScheduledTasks()).extracting(Object::toString)
				.contains(Interfaced.class.getName() + ".run");
			assertThat(holder.getScheduledTasks()).allSatisfy((task) -> assertThat(task.nextExecution()).isNotNull());
			Interfaced jobs = context.getBean(Interfaced.class);
			await().atMost(LONG).until(() -> !jobs.runs().isEmpty());
			holder.getScheduledTasks().forEach((task) -> task.cancel(false));
			assertThat(holder.getScheduledTasks()).allSatisfy((task) -> assertThat(task.nextExecution()).isNull());
		});
	}

	@Test
	void callsMovedToAnotherThreadCountAsRuns(CapturedOutput output) {
		ExecutorService elsewhere = Executors.newSingleThreadExecutor();
		try {
			this.contexts.instance().withBean(Interfaced.class).withBean(Wrapper.class, () -> new Wrapper((call) -> {
				elsewhere.execute(call);
				return null;
			})).run((context) -> {
				assertRunsHaveFireTimes(context.getBean(Job.class).runs());
				String told = "A scheduled call of job 'orders/Interfaced.run' did not reach the gate on its scheduler";
				await().atMost(LONG).until(() -> output.getOut().contains(told));
				assertThat(output.getOut().split(told)).hasSize(2);
			});
		}
		finally {
			elsewhere.shutdown();
		}
	}

	@Test
	void launchThatIsHeldBackIsNotRepeated(CapturedOutput output) {
		this.contexts.recordedBefore("Inner.run");
		AtomicInteger calls = new AtomicInteger();
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Inner.class)
			.withBean(Wrapper.class, () -> new Wrapper((call) -> calls.incrementAndGet()))
			.run((context) -> {
				RecordedJobs jobs = context.getBean(RecordedJobs.class);
				JobKey key = new JobKey("orders", "Inner.run");
				await().atMost(LONG).until(() -> jobs.status(key).failure() != null);
				assertThat(jobs.status(key).failure()).contains("did not reach the gate");
				this.contexts.millis = NEW_YEARS_FIRE_TIME.plusSeconds(3600).toEpochMilli();
				jobs.look();
				await().atMost(LONG).until(() -> this.contexts.find("Inner.run").missed() == 1);
				assertThat(calls).hasValue(1);
				assertThat(output).contains("If a lock, an aspect or a proxy held it back, it is not repeated");
			});
	}

	@Test
	void callByAnotherTaskOfTheSameInterfaceIsNotARun() {
		this.contexts.instance()
			.withBean("inner", Inner.class)
			.withBean("outer", Outer.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				List<JobRun> runs = context.getBean("inner", Job.class).runs();
				await().atMost(LONG).until(() -> runs.size() >= 3);
				assertThat(runs).containsOnlyNulls();
			});
	}

	private static SchedulingConfigurer configurer(String prefix) {
		return (taskRegistrar) -> {
			ThreadPoolTaskScheduler scheduler = Schedulers.scheduler(prefix);
			scheduler.initialize();
			taskRegistrar.setTaskScheduler(scheduler);
		};
	}

	/** Wrap what is scheduled, as agents and configurers do. */
	private static void wrapTasks(ScheduledTaskRegistrar taskRegistrar) {
		taskRegistrar.setCronTasksList(taskRegistrar.getCronTaskList()
			.stream()
			.map((task) -> new CronTask(new WrappedTask(task.getRunnable()), task.getExpression()))
			.toList());
	}

	private static void assertRunsHaveFireTimes(List<JobRun> runs) {
		await().atMost(LONG).until(() -> runs.size() >= 3);
		assertThat(runs).doesNotContainNull()
			.allSatisfy((run) -> assertThat(run.fireTime().getNano()).isZero())
			.extracting(JobRun::fireTime)
			.doesNotHaveDuplicates();
	}

	interface Job {

		void run();

		void yearly();

		List<JobRun> runs();

		Map<String, String> threads();

	}

	static class Interfaced extends NotingJob implements Job {

		@Override
		@LeaderOnly
		@Scheduled(cron = EVERY_SECOND)
		public void run() {
			note();
		}

		@Override
		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void yearly() {
			note();
		}

	}

	/** Public: it has bridges to the methods of a class that is not. */
	public static class Inheriting extends Interfaced {

	}

	static class Repeated extends NotingJob {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		@Scheduled(cron = EVERY_SECOND, zone = "Europe/Berlin")
		public void run() {
			note();
		}

	}

	@LeaderOnly(otherwise = Otherwise.THROW)
	@Scheduled(cron = EVERY_SECOND)
	@Retention(RetentionPolicy.RUNTIME)
	@interface LeaderJob {

	}

	static class Meta {

		@LeaderJob
		public int run() {
			return 1;
		}

	}

	static class Qualified extends NotingJob {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC", scheduler = "${job.scheduler}")
		public void yearly() {
			note();
		}

		@LeaderOnly
		@Scheduled(cron = EVERY_SECOND, scheduler = "${job.scheduler}")
		public void everySecond() {
			note();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Schedulers {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return scheduler("default-");
		}

		@Bean
		ThreadPoolTaskScheduler other() {
			return scheduler("other-");
		}

		static ThreadPoolTaskScheduler scheduler(String prefix) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setThreadNamePrefix(prefix);
			return scheduler;
		}

	}

	/** Has another description than its delegate. */
	record WrappedTask(Runnable delegate) implements Runnable {

		@Override
		public void run() {
			this.delegate.run();
		}

		@Override
		public String toString() {
			return "wrapped";
		}

	}

	/** Puts a proxy in front of the gate. */
	static class Wrapper implements BeanPostProcessor {

		private final Function<Runnable, Object> advice;

		Wrapper(Function<Runnable, Object> advice) {
			this.advice = advice;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof Job)) {
				return bean;
			}
			ProxyFactory proxy = new ProxyFactory(Job.class, new SingletonTargetSource(bean));
			proxy.addAdvice((MethodInterceptor) (invocation) -> {
				MethodInvocation call = ((ProxyMethodInvocation) invocation).invocableClone();
				return (invocation.getMethod().getReturnType() != void.class) ? invocation.proceed()
						: this.advice.apply(() -> proceed(call));
			});
			// Otherwise the gate would be put in front.
			proxy.setFrozen(true);
			return proxy.getProxy();
		}

		private static void proceed(MethodInvocation call) {
			try {
				call.proceed();
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Inner extends NotingJob implements Job {

		@Override
		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void run() {
			note();
		}

		@Override
		public void yearly() {
		}

	}

	/** Calls another bean with the same interface. */
	static class Outer extends NotingJob implements Job {

		private final Job inner;

		Outer(@Qualifier("inner") Job inner) {
			this.inner = inner;
		}

		@Override
		@Scheduled(cron = EVERY_SECOND)
		public void run() {
			this.inner.run();
		}

		@Override
		@LeaderOnly
		public void yearly() {
		}

	}

}
