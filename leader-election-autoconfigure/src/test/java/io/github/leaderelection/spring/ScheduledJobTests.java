package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.autoconfigure.LeaderOnlyAutoConfiguration;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.spring.event.LeaderElectionEvent;
import io.github.leaderelection.spring.event.MissedRunEvent;
import io.github.leaderelection.spring.event.UnfinishedRunEvent;
import io.github.leaderelection.job.JobKey;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.leaderelection.spring.JobContexts.LONG;
import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static io.github.leaderelection.spring.JobContexts.NEW_YEARS_FIRE_TIME;
import static io.github.leaderelection.spring.JobContexts.awaitLeader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the runs of {@code @Scheduled(cron = …)} methods. What becomes of fire times
 * is tested with the records, in {@code RecordedJobsTests}; here is what Spring has to do
 * with it.
 */
class ScheduledJobTests {

	private static final String EVERY_SECOND = "* * * * * *";

	private final JobContexts contexts = new JobContexts();

	@Test
	void runsKnowAndRecordTheirFireTimes() {
		this.contexts.instance().withBean(EverySecond.class).run((context) -> {
			EverySecond jobs = context.getBean(EverySecond.class);
			await().atMost(LONG).until(() -> jobs.runs().size() >= 3);
			assertThat(jobs.runs()).allSatisfy((run) -> {
				assertThat(run.job()).isEqualTo("EverySecond.run");
				assertThat(run.fireTime()).isNotNull();
				assertThat(run.fireTime().getNano()).isZero();
			});
			assertThat(jobs.runs()).extracting(JobRun::fireTime).doesNotHaveDuplicates();
			assertThat(jobs.previous().get(1)).hasValueSatisfying((previous) -> {
				assertThat(previous.id()).isEqualTo(jobs.runs().get(0).id());
				assertThat(previous.outcome()).isEqualTo(Outcome.SUCCEEDED);
			});
		});
	}

	@Test
	void callsByOthersAreGatedButNotRecorded() {
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME).withBean(Yearly.class).run((context) -> {
			awaitLeader(context);
			await().atMost(LONG).until(() -> this.contexts.find("Yearly.run") != null);
			context.getBean(Yearly.class).run();
			assertThat(context.getBean(Yearly.class).unrecorded()).hasValue(1);
			assertThat(this.contexts.last("Yearly.run")).isNull();
		});
	}

	@Test
	void jobsOfAContextThatIsClosedAreForgottenAndCanComeAgain() {
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
	void missedFireTimeIsCaughtUp() {
		recordedBefore("Yearly.run", NEW_YEARS_FIRE_TIME.minusSeconds(10));
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60)).withBean(Yearly.class).run((context) -> {
			Yearly jobs = context.getBean(Yearly.class);
			await().atMost(LONG).until(() -> outcome("Yearly.run") == Outcome.SUCCEEDED);
			assertThat(jobs.runs()).singleElement().satisfies((run) -> {
				assertThat(run.fireTime()).isEqualTo(NEW_YEARS_FIRE_TIME);
				assertThat(run.cause()).isEqualTo(Cause.CATCH_UP);
			});
		});
	}

	@Test
	void severalMissedFireTimesAreCaughtUpOnce() {
		recordedBefore("Yearly.run", NEW_YEARS_FIRE_TIME.minus(Duration.ofDays(800)));
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Yearly.class)
			.withBean(Listener.class)
			.run((context) -> {
				Listener listener = context.getBean(Listener.class);
				await().atMost(LONG).until(() -> outcome("Yearly.run") == Outcome.SUCCEEDED);
				assertThat(context.getBean(Yearly.class).runs()).hasSize(1);
				await().atMost(LONG).until(() -> !listener.events.isEmpty());
				assertThat(listener.events).singleElement()
					.isInstanceOfSatisfying(MissedRunEvent.class,
							(event) -> assertThat(event.getNumber()).isEqualTo(2));
				assertThat(this.contexts.find("Yearly.run").missed()).isEqualTo(2);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "leader-election.starting-deadline=1h",
			"leader-election.elections.orders.starting-deadline=1h" })
	void startingDeadlineCanBeSet(String property) {
		recordedBefore("Yearly.run", NEW_YEARS_FIRE_TIME.minusSeconds(10));
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plus(Duration.ofMinutes(11)))
			.withBean(Yearly.class)
			.withPropertyValues(property)
			.run((context) -> await().atMost(LONG).until(() -> context.getBean(Yearly.class).runs().size() == 1));
	}

	@Test
	void startingDeadlineOfTheMethodComesFirst() {
		recordedBefore("nightly", NEW_YEARS_FIRE_TIME.minusSeconds(10));
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plus(Duration.ofHours(3)))
			.withBean(Named.class)
			.withPropertyValues("job.name=nightly", "job.deadline=4h", "job.cron=" + NEW_YEAR, "job.zone=UTC")
			.run((context) -> await().atMost(LONG).until(() -> outcome("nightly") == Outcome.SUCCEEDED));
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
	void exceptionIsRecordedThoughWhatObservesItFails() {
		recordedBefore("Failing.run", NEW_YEARS_FIRE_TIME.minusSeconds(10));
		ObservationRegistry failing = ObservationRegistry.create();
		failing.observationConfig().observationHandler(new FailingHandler());
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60))
			.withBean(Failing.class)
			.withBean(ObservationRegistry.class, () -> failing)
			.run((context) -> await().atMost(LONG).until(() -> outcome("Failing.run") == Outcome.FAILED));
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
						assertThat(event.getRun().candidateId()).isEqualTo("lost");
						assertThat(event.isAttemptedAgain()).isFalse();
					});
				await().atMost(LONG).until(() -> outcome("Yearly.run") == Outcome.UNFINISHED);
				assertThat(context.getBean(Yearly.class).runs()).isEmpty();
			});
	}

	@Test
	void unfinishedRunIsAttemptedAgain() {
		startedBefore("Persistent.run");
		this.contexts.instanceAt(NEW_YEARS_FIRE_TIME.plusSeconds(60)).withBean(Persistent.class).run((context) -> {
			await().atMost(LONG).until(() -> outcome("Persistent.run") == Outcome.SUCCEEDED);
			assertThat(this.contexts.last("Persistent.run").attempt()).isEqualTo(2);
			assertThat(this.contexts.last("Persistent.run").fireTime()).isEqualTo(NEW_YEARS_FIRE_TIME);
		});
	}

	@Test
	void handoverWaitsForTheRecord() {
		this.contexts.instance()
			.withBean(Slow.class)
			.withPropertyValues("leader-election.cooldown=1h")
			.run((context) -> {
				Slow slow = context.getBean(Slow.class);
				await().atMost(LONG).until(() -> slow.runs().get() == 1);
				LeaderElection elections = context.getBean(LeaderElection.class);
				elections.resign("orders");
				assertThat(outcome("Slow.run")).isEqualTo(Outcome.RUNNING);
				slow.release().countDown();
				await().atMost(LONG).until(() -> !elections.isLeader("orders"));
				assertThat(outcome("Slow.run")).isEqualTo(Outcome.SUCCEEDED);
			});
	}

	@Test
	void jobWhoseDateNeverComesIsTriggeredByHandOnly() {
		this.contexts.instance().withBean(ByHand.class).run((context) -> {
			awaitLeader(context);
			JobRuns jobs = context.getBean(JobRuns.class);
			jobs.trigger("orders", "ByHand.run");
			await().atMost(LONG).until(() -> outcome("ByHand.run") == Outcome.SUCCEEDED);
			assertThatIllegalArgumentException().isThrownBy(() -> jobs.trigger("orders", "ByHand.off"));
		});
	}

	@Test
	void neverIsNotRecorded() {
		this.contexts.instance().withBean(Unrecorded.class).run((context) -> {
			await().atMost(LONG).until(() -> context.getBean(Unrecorded.class).calls().get() >= 2);
			this.contexts.assertNoCalls();
		});
	}

	private Outcome outcome(String job) {
		return Optional.ofNullable(this.contexts.last(job)).map(JobRun::outcome).orElse(null);
	}

	private void recordedBefore(String job, Instant covered) {
		this.contexts.stored().open(0, NEW_YEAR + " UTC", covered, new JobKey("orders", job));
	}

	/** The run of a process that was lost in the middle of it. */
	private void startedBefore(String job) {
		recordedBefore(job, NEW_YEARS_FIRE_TIME.minusSeconds(10));
		this.contexts.stored()
			.start(new JobKey("orders", job), new JobRun("1", "orders", job, NEW_YEARS_FIRE_TIME, Cause.SCHEDULED, 1, 0,
					"lost", null, null, Outcome.RUNNING));
	}

	static class Noting {

		final List<JobRun> runs = new CopyOnWriteArrayList<>();

		final List<Optional<JobRun>> previous = new CopyOnWriteArrayList<>();

		final AtomicInteger unrecorded = new AtomicInteger();

		private final JobRuns jobRuns;

		Noting(JobRuns jobRuns) {
			this.jobRuns = jobRuns;
		}

		List<JobRun> runs() {
			return this.runs;
		}

		List<Optional<JobRun>> previous() {
			return this.previous;
		}

		AtomicInteger unrecorded() {
			return this.unrecorded;
		}

		void note() {
			this.previous.add(this.jobRuns.previousRun());
			this.jobRuns.currentRun().ifPresentOrElse(this.runs::add, this.unrecorded::incrementAndGet);
		}

	}

	static class EverySecond extends Noting {

		EverySecond(JobRuns jobRuns) {
			super(jobRuns);
		}

		@LeaderOnly
		@Scheduled(cron = EVERY_SECOND)
		public void run() {
			note();
		}

	}

	static class Yearly extends Noting {

		Yearly(JobRuns jobRuns) {
			super(jobRuns);
		}

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

	static class FailingHandler implements ObservationHandler<Observation.Context> {

		@Override
		public void onError(Observation.Context context) {
			throw new IllegalStateException("the handler fails, as the test wants");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	static class Failing {

		@LeaderOnly
		@Scheduled(cron = NEW_YEAR, zone = "UTC")
		public void run() {
			throw new IllegalStateException("on purpose");
		}

	}

	static class Slow {

		final AtomicInteger runs = new AtomicInteger();

		final CountDownLatch release = new CountDownLatch(1);

		AtomicInteger runs() {
			return this.runs;
		}

		CountDownLatch release() {
			return this.release;
		}

		@LeaderOnly(interrupt = false)
		@Scheduled(cron = EVERY_SECOND)
		public void run() throws InterruptedException {
			this.runs.incrementAndGet();
			this.release.await(60, TimeUnit.SECONDS);
		}

	}

	static class Unrecorded {

		final AtomicInteger calls = new AtomicInteger();

		AtomicInteger calls() {
			return this.calls;
		}

		@LeaderOnly(record = Recording.NEVER)
		@Scheduled(cron = EVERY_SECOND)
		public void run() {
			this.calls.incrementAndGet();
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

}
