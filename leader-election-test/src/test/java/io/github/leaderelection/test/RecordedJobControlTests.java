package io.github.leaderelection.test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderOnly;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of recorded jobs under {@link LeadershipControl}.
 */
@SpringBootTest(properties = { "spring.application.name=shop", "leader-election.ttl=10m" })
@AutoConfigureLeadershipControl
class RecordedJobControlTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Autowired
	private LeadershipControl control;

	@Autowired
	private JobRuns jobRuns;

	@Autowired
	private Hourly job;

	@Autowired
	private Repeated repeated;

	@Test
	@WithLeadership
	void jobRunsWhenTimeHasCome() {
		awaitRecord();
		Instant fireTime = this.control.now().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
		this.control.advanceTimeTo(fireTime.minusMillis(1));
		assertThat(this.job.fireTimes()).doesNotContain(fireTime);
		this.control.advanceTimeTo(fireTime);
		await().atMost(LONG).until(() -> this.job.fireTimes().contains(fireTime));
	}

	@Test
	@WithLeadership
	void fireTimeThatAFollowerLetsPassIsCaughtUpOnceItLeads() {
		awaitRecord();
		this.control.revoke("shop");
		Instant fireTime = this.control.now().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
		this.control.advanceTimeTo(fireTime.plusSeconds(1));
		assertThat(this.job.fireTimes()).doesNotContain(fireTime);
		this.control.grant("shop");
		await().atMost(LONG).until(() -> this.job.fireTimes().contains(fireTime));
	}

	@Test
	@WithLeadership
	void intervalPassesAsTimeIsMoved() {
		await().atMost(LONG).until(() -> {
			this.control.advanceTime(Duration.ofMillis(1));
			return !this.repeated.runs().isEmpty();
		});
		Instant first = this.repeated.runs().get(0);
		this.control.advanceTime(Duration.ofHours(1));
		await().atMost(LONG).until(() -> this.repeated.runs().size() > 1);
		assertThat(this.repeated.runs().get(1)).isAfterOrEqualTo(first.plus(1, ChronoUnit.HOURS));
	}

	@Test
	void timeDoesNotGoBack() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.control.advanceTimeTo(this.control.now().minusMillis(1)));
	}

	/** Before, nothing is known that could be missed. */
	private void awaitRecord() {
		await().atMost(LONG).until(() -> {
			try {
				this.jobRuns.trigger("shop", "Hourly.run");
				return true;
			}
			catch (IllegalStateException ex) {
				return false;
			}
		});
		await().atMost(LONG).until(() -> this.job.causes().contains(Cause.TRIGGERED));
		this.job.clear();
	}

	@EnableScheduling
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Hourly hourly(JobRuns jobRuns) {
			return new Hourly(jobRuns);
		}

		@Bean
		Repeated repeated(JobRuns jobRuns) {
			return new Repeated(jobRuns);
		}

	}

	static class Hourly {

		private final List<JobRun> runs = new CopyOnWriteArrayList<>();

		private final JobRuns jobRuns;

		Hourly(JobRuns jobRuns) {
			this.jobRuns = jobRuns;
		}

		@LeaderOnly
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		public void run() {
			this.runs.add(this.jobRuns.currentRun().orElseThrow());
		}

		List<Instant> fireTimes() {
			return this.runs.stream().map(JobRun::fireTime).toList();
		}

		List<Cause> causes() {
			return this.runs.stream().map(JobRun::cause).toList();
		}

		void clear() {
			this.runs.clear();
		}

	}

	static class Repeated {

		private final List<Instant> runs = new CopyOnWriteArrayList<>();

		private final JobRuns jobRuns;

		Repeated(JobRuns jobRuns) {
			this.jobRuns = jobRuns;
		}

		@LeaderOnly(record = LeaderOnly.Recording.ALWAYS)
		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		public void run() {
			this.runs.add(this.jobRuns.currentRun().orElseThrow().fireTime());
		}

		List<Instant> runs() {
			return this.runs;
		}

	}

}
