package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import io.github.leaderelection.job.RecordedJobs;
import org.junit.jupiter.api.Test;

import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static io.github.leaderelection.spring.JobContexts.LONG;
import static io.github.leaderelection.spring.JobContexts.NEW_YEAR;
import static io.github.leaderelection.spring.JobContexts.awaitLeader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of methods with {@code fixedRate} and {@code fixedDelay}.
 */
class IntervalJobTests {

	private final JobContexts contexts = new JobContexts();

	@Test
	void intervalsAreNotRecordedAndMakeNoCalls() {
		this.contexts.instance().withBean(Plain.class).run((context) -> {
			await().atMost(LONG).until(() -> context.getBean(Plain.class).calls().get() >= 5);
			this.contexts.assertNoCalls();
			assertThat(context.getBean(RecordedJobs.class).status()).isEmpty();
		});
	}

	@Test
	void intervalsBesideCronExpressionsAreNotRecorded() {
		this.contexts.instance().withBean(Both.class).run((context) -> {
			await().atMost(LONG).until(() -> context.getBean(Both.class).calls().get() >= 5);
			assertThat(this.contexts.last("Both.run")).isNull();
		});
	}

	@Test
	void recordedDelayIsKept() {
		this.contexts.instance().withBean(Delayed.class).run((context) -> {
			List<JobRun> runs = context.getBean(Delayed.class).runs();
			await().atMost(LONG).until(() -> runs.size() >= 4);
			for (int i = 1; i < runs.size(); i++) {
				assertThat(Duration.between(runs.get(i - 1).startedAt(), runs.get(i).startedAt()))
					.isGreaterThanOrEqualTo(Duration.ofMillis(250));
			}
		});
	}

	@Test
	void recordedDelayCountsFromTheLastRunOnAnyInstance() {
		this.contexts.instance()
			.withBean(Daily.class)
			.run((context) -> await().atMost(LONG).until(() -> finished("Daily.run")));
		String first = this.contexts.last("Daily.run").id();
		Instant finishedAt = this.contexts.last("Daily.run").finishedAt();
		this.contexts.instanceAt(finishedAt.plus(Duration.ofHours(23))).withBean(Daily.class).run((context) -> {
			awaitLeader(context);
			long term = context.getBean(LeaderElection.class).leadership("orders").orElseThrow().term();
			await().atMost(LONG).until(() -> this.contexts.find("Daily.run").fence() == term);
			assertThat(this.contexts.last("Daily.run").id()).isEqualTo(first);
			assertThat(context.getBean(Daily.class).calls()).hasValue(0);
		});
		this.contexts.instanceAt(finishedAt.plus(Duration.ofHours(25)))
			.withBean(Daily.class)
			.run((context) -> await().atMost(LONG)
				.until(() -> context.getBean(Daily.class).calls().get() == 1 && finished("Daily.run")));
		assertThat(this.contexts.last("Daily.run").id()).isNotEqualTo(first);
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

	private boolean finished(String job) {
		JobRun last = this.contexts.last(job);
		return last != null && last.finishedAt() != null;
	}

	static class Calls {

		private final AtomicInteger calls = new AtomicInteger();

		AtomicInteger calls() {
			return this.calls;
		}

	}

	static class Plain extends Calls {

		@LeaderOnly
		@Scheduled(fixedDelay = 20)
		public void run() {
			calls().incrementAndGet();
		}

	}

	static class Both extends Calls {

		@LeaderOnly
		@Scheduled(fixedDelay = 20)
		@Scheduled(cron = NEW_YEAR)
		public void run() {
			calls().incrementAndGet();
		}

	}

	static class Delayed {

		private final List<JobRun> runs = new CopyOnWriteArrayList<>();

		private final JobRuns jobRuns;

		Delayed(JobRuns jobRuns) {
			this.jobRuns = jobRuns;
		}

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(fixedDelayString = "PT0.25S")
		public void run() {
			this.runs.add(this.jobRuns.currentRun().orElseThrow());
		}

		List<JobRun> runs() {
			return this.runs;
		}

	}

	static class Daily extends Calls {

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(fixedDelay = 24 * 3600 * 1000)
		public void run() {
			calls().incrementAndGet();
		}

	}

	static class Patient {

		@LeaderOnly(record = Recording.ALWAYS)
		@Scheduled(fixedRate = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
		public void run() {
		}

	}

}
