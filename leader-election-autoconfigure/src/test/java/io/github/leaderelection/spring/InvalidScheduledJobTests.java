package io.github.leaderelection.spring;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.store.RecordStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of what can't be recorded as it is declared.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidScheduledJobTests {

	private final JobContexts contexts = new JobContexts();

	private final ApplicationContextRunner runner = this.contexts.instance();

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', value = {
			// the method | its annotation | the reason | the remedy
			"unscheduled | job=report | it is not scheduled | Leave them out, or add @Scheduled",
			"unscheduled | record=ALWAYS | it is not scheduled | Leave them out, or add @Scheduled",
			"yearly | job=report record=NEVER | not recorded under record = NEVER | Leave them out",
			"delayed | job=report | runs by fixedRate or fixedDelay are not recorded | Use record = ALWAYS",
			"yearly | attempts=0 | attempts is 0, but must be 1 or more | Use 1",
			"yearly | startingDeadline=soon | 'soon' is not a duration between 1 ms and 365 d | 10m",
			"yearly | startingDeadline=-5m | '-5m' is not a duration | 10m",
			"yearly | startingDeadline=${no.such} | '${no.such}' can't be resolved | Set the property",
			"yearly | startingDeadline=#{1}m | '#{1}m' is not a duration | 10m",
			"yearly | job=a/b | Job name 'a/b' contains a slash | Change job",
			"yearly | job=#{jobs.name} | '#{jobs.name}' is an expression, which is not evaluated | Change job",
			"mixed | record=CRON | has only cron expressions | another method, or say record = NEVER",
			"twoIntervals | record=ALWAYS | or, under record = ALWAYS, one fixedRate or fixedDelay | another method",
			"delayed | record=ALWAYS startingDeadline=1h | no fire times | Leave it out",
			"reactive | record=ALWAYS | it returns a publisher | Let the method return when its work is done",
			"reactive | attempts=2 | it returns a publisher | Let the method return when its work is done",
			"inBackground | record=ALWAYS | it is @Async | Let the method return when its work is done" })
	void annotationIsRefused(String method, String attributes, String reason, String remedy) {
		RecordedMethodFactory factory = new RecordedMethodFactory(new MockEnvironment()::resolveRequiredPlaceholders);
		assertThatExceptionOfType(InvalidLeaderOnlyException.class)
			.isThrownBy(() -> factory.create(annotated(method, attributes), "orders"))
			.satisfies((failure) -> {
				assertThat(failure.getPlace()).contains(Methods.class.getName() + "." + method);
				assertThat(failure.getReason()).contains(reason);
				assertThat(failure.getRemedy()).contains(remedy);
			});
	}

	private static LeaderOnlyMethod annotated(String name, String attributes) {
		Map<String, Object> values = new HashMap<>();
		for (String attribute : attributes.split(" ")) {
			String[] parts = attribute.split("=", 2);
			values.put(parts[0], switch (parts[0]) {
				case "attempts" -> Integer.valueOf(parts[1]);
				case "record" -> Recording.valueOf(parts[1]);
				default -> parts[1];
			});
		}
		LeaderOnly annotation = AnnotationUtils.synthesizeAnnotation(values, LeaderOnly.class, null);
		LeaderOnlyMethod method = LeaderOnlyMethods.in(List.of(Methods.class))
			.stream()
			.filter((each) -> each.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new LeaderOnlyMethod(method.type(), method.method(), method.declarations(), annotation, true);
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
	void whatIsNotValidIsNotSaidToBePassedBy() {
		this.runner.withBean(NoAttempt.class)
			.run((context) -> assertThat(GateRunner.failure(context)).hasMessage("@LeaderOnly on "
					+ NoAttempt.class.getName() + ".run() is not valid: attempts is 0, but must be 1 or more. "
					+ "Use 1 to have no further attempt after the first"));
	}

	@Test
	void processorOfSomebodyElseIsRefused() {
		ApplicationContextRunner other = this.runner.withAllowBeanDefinitionOverriding(true)
			.withBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME,
					ScheduledAnnotationBeanPostProcessor.class, () -> new ScheduledAnnotationBeanPostProcessor() {
					});
		other.run((context) -> assertThat(context).hasNotFailed());
		other.withBean(Yearly.class)
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

	static class NoAttempt {

		@LeaderOnly(attempts = 0)
		@Scheduled(cron = NEW_YEAR)
		public void run() {
		}

	}

	@LeaderOnly
	static class Methods {

		public void unscheduled() {
		}

		@Scheduled(cron = NEW_YEAR)
		public void yearly() {
		}

		@Scheduled(fixedDelay = 10000)
		public void delayed() {
		}

		@Scheduled(cron = NEW_YEAR)
		@Scheduled(fixedDelay = 10000)
		public void mixed() {
		}

		@Scheduled(fixedRate = 10000)
		@Scheduled(fixedDelay = 10000)
		public void twoIntervals() {
		}

		@Scheduled(cron = NEW_YEAR)
		public Mono<String> reactive() {
			return Mono.empty();
		}

		@Async
		@Scheduled(cron = NEW_YEAR)
		public void inBackground() {
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
