package io.github.leaderelection.spring;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.spring.ScheduledJobTests.Yearly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of jobs that can't be recorded as they are declared. Most are in a table of
 * beans, {@code refused-jobs.txt}.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidScheduledJobTests {

	private final JobContexts contexts = new JobContexts();

	private final ApplicationContextRunner runner = this.contexts.instance();

	static List<RefusedBean> jobs() throws Exception {
		return RefusedBean.all("refused-jobs.txt");
	}

	@ParameterizedTest
	@MethodSource("jobs")
	void invalidJob(RefusedBean job) {
		job.check(this.runner);
	}

	@Test
	void customProcessorIsRefused() {
		ApplicationContextRunner other = this.runner.withAllowBeanDefinitionOverriding(true)
			.withBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME,
					ScheduledAnnotationBeanPostProcessor.class, () -> new ScheduledAnnotationBeanPostProcessor() {
					});
		other.run((context) -> assertThat(context).hasNotFailed());
		other.withBean(Yearly.class)
			.run((context) -> assertThat(GateRunner.failure(context))
				.hasMessageContaining("is not Spring's own. Remove that bean, or set record = NEVER"));
	}

	@Test
	void deferredWorkIsNotRecordedAndReportedOnce(CapturedOutput output) {
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
	void jobWithoutEnabledSchedulingIsReported(CapturedOutput output) {
		GateRunner.follower()
			.withBean(Daily.class)
			.run((context) -> assertThat(output)
				.containsOnlyOnce("InvalidScheduledJobTests.Daily.run is @Scheduled, but scheduling is not enabled"));
	}

	@Test
	void beansOfOneClassClash() {
		this.runner.withBean("one", Yearly.class).withBean("other", Yearly.class).run((context) -> {
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getDescription())
				.endsWith(": bean 'other' would record its runs as job 'orders/Yearly.run', "
						+ "which bean 'one' uses for the same method");
			assertThat(failure.getRemedy()).contains("a class of its own");
		});
	}

	@Test
	void methodsOfOneNameClash() {
		AtomicBoolean started = new AtomicBoolean();
		this.runner.withBean(Starting.class, started).withBean(Yearly.class).withBean(Impostor.class).run((context) -> {
			assertThat(started).as("no election begins before").isFalse();
			InvalidLeaderOnlyException failure = GateRunner.failure(context);
			assertThat(failure.getDescription()).contains(Yearly.class.getName() + ".run()",
					Impostor.class.getName() + ".run()");
			assertThat(failure.getRemedy())
				.isEqualTo("Give one of the two methods another name with @LeaderOnly(job = \"…\")");
		});
	}

	@Test
	void startingDeadlineOfPropertiesMustBeValid() {
		for (String key : new String[] { "leader-election.", "leader-election.elections.orders." }) {
			this.runner.withPropertyValues(key + "starting-deadline=0s")
				.run((context) -> assertThat(context).hasFailed()
					.getFailure()
					.rootCause()
					.hasMessageContaining(key + "starting-deadline (0 s) must be between 1 ms and 365 d"));
		}
	}

	static class Daily {

		@Scheduled(cron = "0 0 3 * * *")
		@LeaderOnly
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

	/** As an engine does, it starts before anything is scheduled. */
	static class Starting implements SmartLifecycle {

		private final AtomicBoolean started;

		Starting(AtomicBoolean started) {
			this.started = started;
		}

		@Override
		public void start() {
			this.started.set(true);
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class Impostor {

		@LeaderOnly(job = "Yearly.run")
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

}
