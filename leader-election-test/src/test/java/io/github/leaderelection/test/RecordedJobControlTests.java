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
import org.springframework.context.annotation.Import;
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
	void jobRunsAtItsFireTime() {
		awaitRecord();
		Instant fireTime = this.control.now().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
		this.control.advanceTimeTo(fireTime.minusMillis(1));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.advanceTimeTo(fireTime.minusMillis(2)));
		assertThat(this.job.fireTimes()).doesNotContain(fireTime);
		this.control.advanceTimeTo(fireTime);
		await().atMost(LONG).until(() -> this.job.fireTimes().contains(fireTime));
	}

	@Test
	@WithLeadership
	void fireTimeMissedByAFollowerIsCaughtUpOnceItLeads() {
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
	void intervalFollowsTheAdvancedTime() {
		await().atMost(LONG).until(() -> {
			this.control.advanceTime(Duration.ofMillis(1));
			return !this.repeated.fireTimes().isEmpty();
		});
		Instant first = this.repeated.fireTimes().get(0);
		this.control.advanceTime(Duration.ofHours(1));
		await().atMost(LONG).until(() -> this.repeated.fireTimes().size() > 1);
		assertThat(this.repeated.fireTimes().get(1)).isAfterOrEqualTo(first.plus(1, ChronoUnit.HOURS));
	}

	/** Without a record there is nothing that could be missed. */
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
		await().atMost(LONG).until(() -> this.job.runs().stream().anyMatch((run) -> run.cause() == Cause.TRIGGERED));
		this.job.runs().clear();
	}

	@EnableScheduling
	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Hourly.class, Repeated.class })
	static class Application {

	}

	static class Noting {

		final List<JobRun> runs = new CopyOnWriteArrayList<>();

		private final JobRuns jobRuns;

		Noting(JobRuns jobRuns) {
			this.jobRuns = jobRuns;
		}

		void note() {
			this.runs.add(this.jobRuns.currentRun().orElseThrow());
		}

		List<JobRun> runs() {
			return this.runs;
		}

		List<Instant> fireTimes() {
			return runs().stream().map(JobRun::fireTime).toList();
		}

	}

	static class Hourly extends Noting {

		Hourly(JobRuns jobRuns) {
			super(jobRuns);
		}

		@LeaderOnly
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		public void run() {
			note();
		}

	}

	static class Repeated extends Noting {

		Repeated(JobRuns jobRuns) {
			super(jobRuns);
		}

		@LeaderOnly(record = LeaderOnly.Recording.ALWAYS)
		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		public void run() {
			note();
		}

	}

}
