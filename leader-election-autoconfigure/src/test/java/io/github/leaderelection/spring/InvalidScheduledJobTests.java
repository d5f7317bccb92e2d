package io.github.leaderelection.spring;

import java.util.List;
import java.util.concurrent.Future;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.store.RecordStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what can't be recorded as it is declared.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidScheduledJobTests {

	private final JobContexts contexts = new JobContexts();

	private final ApplicationContextRunner runner = this.contexts.instance();

	@Test
	void settingsNeedASchedule() {
		assertFailure(Unscheduled.class, "it is not scheduled", "Leave them out, or add @Scheduled");
		assertFailure(UnscheduledAlways.class, "it is not scheduled", "Leave them out, or add @Scheduled");
	}

	@Test
	void settingsOfAClassNeedAScheduledMethod() {
		assertFailure(UnscheduledClass.class, "none of its methods is scheduled", "Leave them out");
		this.runner.withBean(PartlyScheduledClass.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void classNamesNoJob() {
		assertFailure(NamedClass.class, "the class names a job", "Name the job at the method");
	}

	@Test
	void settingsNeedARecord() {
		assertFailure(NamedButNever.class, "not recorded under record = NEVER", "Leave them out");
		assertFailure(NamedInterval.class, "runs by fixedRate or fixedDelay are not recorded", "Use record = ALWAYS");
	}

	@Test
	void valuesMustBeValid() {
		assertFailure(NoAttempt.class, "attempts is 0, but must be 1 or more", "Use 1");
		assertFailure(BadDeadline.class, "startingDeadline 'soon' is not a duration between 1 ms and 365 d", "10m");
		assertFailure(NegativeDeadline.class, "startingDeadline '-5m' is not a duration", "10m");
		assertFailure(UnresolvedDeadline.class, "startingDeadline '${no.such}' can't be resolved", "Set the property");
		assertFailure(BadName.class, "Job name 'a/b' contains a slash", "Change job");
		assertFailure(ExpressionAsName.class, "'#{jobs.name}' is an expression, which is not evaluated", "Change job");
		assertFailure(ExpressionAsDeadline.class, "startingDeadline '#{1}m' is not a duration", "10m");
	}

	@Test
	void whatIsNotValidIsNotSaidToBePassedBy() {
		this.runner.withBean(NoAttempt.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage("@LeaderOnly on "
					+ NoAttempt.class.getName() + ".run() is not valid: attempts is 0, but must be 1 or more. "
					+ "Use 1 to have no further attempt after the first"));
	}

	@Test
	void alwaysIsForOneKindOfSchedule() {
		assertFailure(Mixed.class, "record = ALWAYS is for one fixedRate or fixedDelay", "another method");
		assertFailure(DelayWithDeadline.class, "no fire times", "Leave it out");
	}

	@Test
	void processorOfSomebodyElseIsRefused() {
		ApplicationContextRunner other = this.runner.withAllowBeanDefinitionOverriding(true)
			.withBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME,
					ScheduledAnnotationBeanPostProcessor.class, () -> new ScheduledAnnotationBeanPostProcessor() {
					});
		other.run((context) -> assertThat(context).hasNotFailed());
		other.withBean(Recorded.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageContaining("is not the bean of Spring. Remove that bean, or say record = NEVER"));
	}

	@Test
	void deferredWorkIsNotRecordedAndToldOnce(CapturedOutput output) {
		this.runner.withBean(Reactive.class)
			.withBean("other", Reactive.class)
			.withBean(InBackground.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output.getOut().split("Runs of InvalidScheduledJobTests.Reactive.run are not recorded"))
					.hasSize(2);
				assertThat(output.getOut()).contains("since it returns a publisher", "since it is @Async");
			});
	}

	@Test
	void deferredWorkCantBeRecordedAlways() {
		assertFailure(ReactiveAlways.class, "it returns a publisher", "Let the method return when its work is done");
		assertFailure(AsyncAlways.class, "it is @Async", "Let the method return when its work is done");
		assertFailure(AsyncClass.class, "it is @Async", "Let the method return when its work is done");
	}

	@Test
	void beansOfOneClassClash() {
		this.runner.withBean("one", Yearly.class).withBean("other", Yearly.class).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getReason()).isEqualTo("bean 'other' would record its runs as job 'orders/Yearly.run', "
					+ "and so does bean 'one' those of the same method");
			assertThat(failure.getRemedy()).contains("a class of its own");
		});
	}

	@Test
	void methodsOfOneNameClash() {
		this.runner.withBean(Yearly.class).withBean(Impostor.class).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(List.of(failure.getPlace(), failure.getReason().replaceAll(".* those of ", "")))
				.containsExactlyInAnyOrder(Yearly.class.getName() + ".run()", Impostor.class.getName() + ".run()");
			assertThat(failure.getRemedy())
				.isEqualTo("Give one of the two methods another name by @LeaderOnly(job = \"…\")");
		});
	}

	@Test
	void methodsOfOneBeanClash() {
		this.runner.withBean(Twins.class).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getReason()).contains("'orders/report'", Twins.class.getName() + ".");
			assertThat(failure.getRemedy()).contains("one of the two methods");
		});
	}

	@Test
	void storeMustBeThere() {
		ApplicationContextRunner without = this.runner
			.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
				BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
				for (String name : beanFactory.getBeanNamesForType(RecordStore.class, true, false)) {
					registry.removeBeanDefinition(name);
				}
			}));
		without.withBean(Yearly.class).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getReason()).contains("no store");
			assertThat(failure.getRemedy()).contains("Declare a RecordStores bean", "record = NEVER");
		});
		without.withBean(Unrecorded.class).run((context) -> assertThat(context).hasNotFailed());
		without.withBean(Yearly.class)
			.withPropertyValues("leader-election.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void startingDeadlineOfPropertiesMustBeValid() {
		for (String key : new String[] { "leader-election.", "leader-election.elections.orders." }) {
			this.runner.withPropertyValues(key + "starting-deadline=0s")
				.run((context) -> assertThat(context).hasFailed()
					.getFailure()
					.rootCause()
					.hasMessageContaining(key + "starting-deadline (0 s) is not from 1 ms to 365 d"));
		}
	}

	private void assertFailure(Class<?> beanClass, String reason, String remedy) {
		this.runner.withBean(beanClass).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getPlace()).contains(beanClass.getName());
			assertThat(failure.getReason()).contains(reason);
			assertThat(failure.getRemedy()).contains(remedy);
		});
	}

	static class Recorded {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class Unscheduled {

		@LeaderOnly(job = "report")
		public void run() {
		}

	}

	static class UnscheduledAlways {

		@LeaderOnly(record = Recording.ALWAYS)
		public void run() {
		}

	}

	@LeaderOnly(startingDeadline = "1h")
	static class UnscheduledClass {

		public void run() {
		}

	}

	@LeaderOnly(startingDeadline = "1h", attempts = 2)
	static class PartlyScheduledClass {

		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

		@Scheduled(fixedDelay = 10000, initialDelay = 10000)
		public void repeat() {
		}

		public void other() {
		}

	}

	@LeaderOnly(job = "report")
	static class NamedClass {

		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class NamedButNever {

		@LeaderOnly(job = "report", record = Recording.NEVER)
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class NamedInterval {

		@LeaderOnly(job = "report")
		@Scheduled(fixedDelay = 10000)
		public void run() {
		}

	}

	static class NoAttempt {

		@LeaderOnly(attempts = 0)
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class BadDeadline {

		@LeaderOnly(startingDeadline = "soon")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class NegativeDeadline {

		@LeaderOnly(startingDeadline = "-5m")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class UnresolvedDeadline {

		@LeaderOnly(startingDeadline = "${no.such}")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class ExpressionAsName {

		@LeaderOnly(job = "#{jobs.name}")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class ExpressionAsDeadline {

		@LeaderOnly(startingDeadline = "#{1}m")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class BadName {

		@LeaderOnly(job = "a/b")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class Mixed {

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(cron = NEW_YEAR)
		@Scheduled(fixedDelay = 10000)
		public void run() {
		}

	}

	static class DelayWithDeadline {

		@LeaderOnly(record = Recording.ALWAYS, startingDeadline = "1h")
		@Scheduled(fixedDelay = 10000)
		public void run() {
		}

	}

	static class Reactive {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR)
		public Mono<String> run() {
			return Mono.empty();
		}

	}

	static class InBackground {

		@Async
		@LeaderOnly
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class ReactiveAlways {

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(cron = NEW_YEAR)
		public Mono<String> run() {
			return Mono.empty();
		}

	}

	static class AsyncAlways {

		@Async
		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(cron = NEW_YEAR)
		public Future<String> run() {
			throw new UnsupportedOperationException();
		}

	}

	@Async
	@LeaderOnly(record = Recording.ALWAYS)
	static class AsyncClass {

		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class Yearly {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class Impostor {

		@LeaderOnly(job = "Yearly.run")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	static class Twins {

		@LeaderOnly(job = "report")
		@Scheduled(cron = NEW_YEAR)
		public void one() {
		}

		@LeaderOnly(job = "report")
		@Scheduled(cron = NEW_YEAR)
		public void other() {
		}

	}

	static class Unrecorded {

		@LeaderOnly(record = Recording.NEVER)
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

}
