package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.Timetable;
import io.github.leaderelection.spring.event.LeaderElectionEvent;
import io.github.leaderelection.spring.event.MissedRunEvent;
import io.github.leaderelection.spring.event.UnfinishedRunEvent;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static io.github.leaderelection.spring.JobContexts.EVERY_SECOND;
import static io.github.leaderelection.spring.JobContexts.LONG;
import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static io.github.leaderelection.spring.JobContexts.NEW_YEARS_FIRE_TIME;
import static io.github.leaderelection.spring.JobContexts.awaitLeader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the runs of {@code @Scheduled} methods, with cron expressions and at
 * intervals. The handling of fire times is tested with the records, in
 * {@code RecordedJobsTests}; these tests cover Spring's part.
 */
class ScheduledJobTests {

	private final JobContexts contexts = new JobContexts();

	@Test
	void callsByOthersAreGatedButNotRecorded() {
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME).withBean(Yearly.class).run((context) -> {
			awaitLeader(context);
			await().atMost(LONG).until(() -> this.contexts.find("Yearly.run") != null);
			context.getBean(Yearly.class).run();
			assertThat(context.getBean(Yearly.class).runs()).hasSize(1).containsOnlyNulls();
			assertThat(this.contexts.last("Yearly.run")).isNull();
		});
	}

	@Test
	void jobsOfAClosedContextCanBeRegisteredAgain() {
		this.contexts.instance().run((context) -> {
			for (int i = 0; i < 2; i++) {
				try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
					child.setParent(context);
					child.register(LeaderOnlyAutoConfiguration.class, JobContexts.Scheduling.class, Yearly.class);
					child.refresh();
					assertThat(jobNames(context)).containsExactly("Yearly.run");
				}
				assertThat(jobNames(context)).isEmpty();
			}
		});
	}

	private static List<String> jobNames(ApplicationContext context) {
		return context.getBean(RecordedJobs.class).status().stream().map((status) -> status.job().key().job()).toList();
	}

	@Test
	void missedFireTimesAreCaughtUpOnce() {
		this.contexts.recordedBefore("Yearly.run", NEW_YEAR + " UTC", NEW_YEARS_FIRE_TIME.minus(Duration.ofDays(800)));
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Yearly.class)
			.withBean(Listener.class)
			.run((context) -> {
				Listener listener = context.getBean(Listener.class);
				this.contexts.awaitOutcome("Yearly.run", Outcome.SUCCEEDED);
				assertThat(context.getBean(Yearly.class).runs()).singleElement().satisfies((run) -> {
					assertThat(run.fireTime()).isEqualTo(NEW_YEARS_FIRE_TIME);
					assertThat(run.cause()).isEqualTo(Cause.CATCH_UP);
				});
				await().atMost(LONG).until(() -> !listener.events.isEmpty());
				assertThat(listener.events).singleElement()
					.isInstanceOfSatisfying(MissedRunEvent.class, (event) -> assertThat(event.number()).isEqualTo(2));
				assertThat(this.contexts.find("Yearly.run").missed()).isEqualTo(2);
			});
	}

	/** The deadline of the method takes precedence. */
	@ParameterizedTest
	@CsvSource({ "leader-election.starting-deadline, 1h, 11",
			"leader-election.elections.orders.starting-deadline, 1h, 11", "job.deadline, 4h, 180" })
	void startingDeadlineCanBeSet(String property, String deadline, int minutesLate) {
		boolean ofMethod = property.equals("job.deadline");
		Class<?> bean = ofMethod ? Named.class : Yearly.class;
		String job = ofMethod ? "nightly" : "Yearly.run";
		this.contexts.recordedBefore(job);
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plus(Duration.ofMinutes(minutesLate)))
			.withBean(bean)
			.withPropertyValues("job.name=nightly", "job.cron=" + NEW_YEAR, "job.zone=UTC", property + "=" + deadline)
			.run((context) -> this.contexts.awaitOutcome(job, Outcome.SUCCEEDED));
	}

	@Test
	void disabledCronIsNoJob() {
		this.contexts.instance()
			.withBean(Named.class)
			.withPropertyValues("job.name=nightly", "job.deadline=4h", "job.cron=-", "job.zone=")
			.run((context) -> {
				awaitLeader(context);
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RecordedJobs.class).status()).isEmpty();
			});
	}

	@Test
	void exceptionIsRecordedEvenIfItsObservationFails() {
		this.contexts.recordedBefore("Failing.run");
		ObservationRegistry failing = ObservationRegistry.create();
		ObservationHandler<Observation.Context> handler = Mockito.mock();
		Mockito.when(handler.supportsContext(Mockito.any())).thenReturn(true);
		Mockito.doThrow(new IllegalStateException("the handler fails, as the test wants"))
			.when(handler)
			.onError(Mockito.any());
		failing.observationConfig().observationHandler(handler);
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Failing.class)
			.withBean(ObservationRegistry.class, () -> failing)
			.run((context) -> this.contexts.awaitOutcome("Failing.run", Outcome.FAILED));
	}

	@Test
	void unfinishedRunIsReported() {
		startedBefore("Yearly.run");
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Yearly.class)
			.withBean(Listener.class)
			.run((context) -> {
				Listener listener = context.getBean(Listener.class);
				await().atMost(LONG).until(() -> !listener.events.isEmpty());
				assertThat(listener.events).singleElement()
					.isInstanceOfSatisfying(UnfinishedRunEvent.class, (event) -> {
						assertThat(event.run().candidateId()).isEqualTo("lost");
						assertThat(event.attemptedAgain()).isFalse();
					});
				this.contexts.awaitOutcome("Yearly.run", Outcome.UNFINISHED);
				assertThat(context.getBean(Yearly.class).runs()).isEmpty();
			});
	}

	@Test
	void unfinishedRunIsAttemptedAgain() {
		startedBefore("Persistent.run");
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60)).withBean(Persistent.class).run((context) -> {
			this.contexts.awaitOutcome("Persistent.run", Outcome.SUCCEEDED);
			assertThat(this.contexts.last("Persistent.run").attempt()).isEqualTo(2);
			assertThat(this.contexts.last("Persistent.run").fireTime()).isEqualTo(NEW_YEARS_FIRE_TIME);
		});
	}

	@Test
	void handoverWaitsForTheRecord() {
		this.contexts.instance()
			.withBean(Slow.class)
			.withBean(CountDownLatch.class, 1)
			.withPropertyValues("leader-election.cooldown=1h")
			.run((context) -> {
				Slow slow = context.getBean(Slow.class);
				await().atMost(LONG).until(() -> slow.runs().size() == 1);
				LeaderElection elections = context.getBean(LeaderElection.class);
				elections.resign("orders");
				assertThat(this.contexts.outcome("Slow.run")).isEqualTo(Outcome.RUNNING);
				context.getBean(CountDownLatch.class).countDown();
				await().atMost(LONG).until(() -> !elections.isLeader("orders"));
				assertThat(this.contexts.outcome("Slow.run")).isEqualTo(Outcome.SUCCEEDED);
			});
	}

	@Test
	void jobWithoutFireTimesIsTriggeredManuallyOnly() {
		this.contexts.instance().withBean(ByHand.class).run((context) -> {
			awaitLeader(context);
			JobRuns jobs = context.getBean(JobRuns.class);
			jobs.trigger("orders", "ByHand.run");
			this.contexts.awaitOutcome("ByHand.run", Outcome.SUCCEEDED);
			assertThatIllegalArgumentException().isThrownBy(() -> jobs.trigger("orders", "ByHand.off"));
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Unrecorded.class })
	void unrecordedJobDoesNotUseTheStore(Class<? extends NotingJob> job) {
		this.contexts.instance().withBean(job).run((context) -> {
			await().atMost(LONG).until(() -> context.getBean(job).runs().size() >= 2);
			assertThat(context.getBean(job).runs()).containsOnlyNulls();
			this.contexts.assertNoCalls();
			assertThat(context.getBean(RecordedJobs.class).status()).isEmpty();
		});
	}

	@Test
	void initialDelayIsKept() {
		Instant earliest = Instant.now().plus(Duration.ofHours(1));
		List<Instant> launches = new CopyOnWriteArrayList<>();
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler() {

			@Override
			public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
				launches.add(startTime);
				return super.schedule(task, startTime);
			}

		};
		this.contexts.instance()
			.withBean(Patient.class)
			.withBean("taskScheduler", TaskScheduler.class, () -> scheduler)
			.run((context) -> await().atMost(LONG).until(() -> !launches.isEmpty()));
		assertThat(launches).allSatisfy((launch) -> assertThat(launch).isAfterOrEqualTo(earliest));
	}

	/** With a different text the job would begin anew. */
	@ParameterizedTest
	@CsvSource({ "0 0 3 * * *,UTC,0 0 3 * * * UTC", "0 0 3 * * ?,UTC,0 0 3 * * * UTC",
			"' 0  0 3 * * *\t',UTC,0 0 3 * * * UTC", "0 0 3 * * *,Etc/UTC,0 0 3 * * * UTC",
			"0 0 3 * * *,GMT,0 0 3 * * * UTC", "0 0 3 * * *,Etc/Zulu,0 0 3 * * * UTC",
			"@daily,Europe/Berlin,0 0 0 * * * Europe/Berlin", "0 0 3 ? * mon-fri,Etc/GMT-1,0 0 3 * * MON-FRI +01:00" })
	void equalTimetablesHaveTheSameText(String cron, String zone, String text) {
		assertThat(timetable(cron, zone)).hasToString(text);
	}

	/** As the page on scheduled jobs says. */
	@Test
	void timeSkippedInSpringNeverFiresAndTimeRepeatedInAutumnFiresTwice() {
		Timetable halfPastTwo = timetable("0 30 2 * * *", "Europe/Berlin");
		assertThat(count(halfPastTwo, "2026-03-29")).isZero();
		assertThat(count(halfPastTwo, "2026-10-24")).isOne();
		assertThat(count(halfPastTwo, "2026-10-25")).isEqualTo(2);
		assertThat(count(timetable("0 0 * * * *", "Europe/Berlin"), "2026-10-25")).isEqualTo(24);
	}

	private static int count(Timetable timetable, String day) {
		Instant midnight = Instant.parse(day + "T00:00:00Z");
		return timetable.count(midnight, midnight.plusSeconds(86_400));
	}

	private static Timetable timetable(String cron, String zone) {
		Scheduled annotation = AnnotationUtils.synthesizeAnnotation(Map.of("cron", cron, "zone", zone), Scheduled.class,
				null);
		return new ScheduledDeclaration(ScheduledJobTests.class.getDeclaredMethods()[0], List.of(annotation))
			.timetable((text) -> text);
	}

	/** Record a run of a process that crashed in the middle of it. */
	private void startedBefore(String job) {
		this.contexts.recordedBefore(job);
		this.contexts.stored()
			.start(new JobKey("orders", job), new JobRun("1", "orders", job, NEW_YEARS_FIRE_TIME, Cause.SCHEDULED, 1, 0,
					"lost", null, null, Outcome.RUNNING));
	}

	static class Yearly extends NotingJob {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void run() {
			note();
		}

	}

	static class Persistent {

		@LeaderOnly(attempts = 2)
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void run() {
		}

	}

	static class Named {

		@LeaderOnly(job = "${job.name}", startingDeadline = "${job.deadline}")
		@Scheduled(cron = "${job.cron}", zone = "${job.zone}")
		public void run() {
		}

	}

	static class Failing {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void run() {
			throw new IllegalStateException("on purpose");
		}

	}

	static class Slow extends NotingJob {

		@Autowired
		private CountDownLatch release;

		@LeaderOnly(interrupt = false)
		@Scheduled(cron = EVERY_SECOND)
		public void run() throws InterruptedException {
			note();
			this.release.await(60, TimeUnit.SECONDS);
		}

	}

	static class Listener {

		final List<LeaderElectionEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void onUnfinished(UnfinishedRunEvent event) {
			this.events.add(event);
		}

		@EventListener
		void onMissed(MissedRunEvent event) {
			this.events.add(event);
		}

	}

	static class ByHand {

		@LeaderOnly
		@Scheduled(cron = "0 0 0 30 2 *")
		public void run() {
		}

		@LeaderOnly
		@Scheduled(cron = Scheduled.CRON_DISABLED)
		public void off() {
		}

	}

	static class Plain extends NotingJob {

		@LeaderOnly
		@Scheduled(fixedDelay = 20)
		public void run() {
			note();
		}

	}

	static class Unrecorded extends NotingJob {

		@LeaderOnly(record = Recording.NEVER)
		@Scheduled(cron = EVERY_SECOND)
		public void run() {
			note();
		}

	}

	static class Patient {

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(fixedRateString = "PT1H", initialDelayString = "PT1H")
		public void run() {
		}

	}

}
