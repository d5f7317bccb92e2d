package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoClient;
import io.github.leaderelection.Candidate;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * An application as users write it, with the same job in three forms: recorded, only
 * gated, and under a lock of ShedLock. Each run is written down when it begins and when
 * it ends.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
@EnableSchedulerLock(defaultLockAtMostFor = ScheduledJobsApplication.LockedJobs.LOCK_FOR)
class ScheduledJobsApplication {

	static final String ELECTION = "jobs";

	static final String CRON = "*/5 * * * * *";

	/**
	 * Start the application, which runs until it gets SIGTERM.
	 * @param args properties
	 */
	public static void main(String[] args) {
		SpringApplication.run(ScheduledJobsApplication.class, args);
	}

	@Bean(destroyMethod = "")
	HistoryWriter history(@Value("${faults.history}") Path file) {
		return new HistoryWriter(file);
	}

	@Bean
	Candidate candidate(HistoryWriter history) {
		return new WrittenCandidate(history);
	}

	@Bean
	ApplicationRunner begin(HistoryWriter history, LeaderElection elections) {
		return (args) -> history.write(JobInstance.STARTED, elections.candidateId());
	}

	@Bean
	LockProvider locks(MongoClient client) {
		return new MongoLockProvider(client.getDatabase(JobCluster.DATABASE));
	}

	@Bean
	FiringScheduler taskScheduler() {
		return new FiringScheduler();
	}

	@Bean
	Jobs jobs(HistoryWriter history, JobRuns runs, LeaderElection elections) {
		return new Jobs(new Work(history), runs, elections);
	}

	@Bean
	LockedJobs lockedJobs(HistoryWriter history) {
		return new LockedJobs(new Work(history));
	}

	/**
	 * The jobs of the leader.
	 */
	static class Jobs {

		private final Work work;

		private final JobRuns runs;

		private final LeaderElection elections;

		Jobs(Work work, JobRuns runs, LeaderElection elections) {
			this.work = work;
			this.runs = runs;
			this.elections = elections;
		}

		@Scheduled(cron = CRON)
		@LeaderOnly(value = ELECTION, job = BegunRun.RECORDED)
		public void recorded() {
			JobRun run = this.runs.currentRun().orElseThrow();
			this.work.run(new BegunRun(BegunRun.RECORDED, run.fireTime(), run.term(), run.attempt(), run.cause().name(),
					run.id()));
		}

		@Scheduled(cron = CRON)
		@LeaderOnly(value = ELECTION, record = Recording.NEVER)
		public void gated() {
			this.work.run(BegunRun.unrecorded(BegunRun.GATED, FiringScheduler.FIRE_TIME.get(),
					this.elections.currentLeadership().term()));
		}

	}

	/**
	 * The job under ShedLock's lock, in its own bean so that no proxy of the other jobs
	 * is involved.
	 */
	static class LockedJobs {

		/**
		 * As in ShedLock's documentation for a job that runs once per period, both times
		 * are a little less than the period. That is twenty times as long as a run takes,
		 * and covers a clock that is behind by up to 4 s. It leaves a second before the
		 * next fire time: neither a start late by less nor a crash during a run costs the
		 * next one.
		 */
		static final String LOCK_FOR = "4s";

		private final Work work;

		LockedJobs(Work work) {
			this.work = work;
		}

		@Scheduled(cron = CRON)
		@SchedulerLock(name = BegunRun.LOCKED, lockAtMostFor = LOCK_FOR, lockAtLeastFor = LOCK_FOR)
		public void locked() {
			LockAssert.assertLocked();
			// By the scheduler of this process, as for the gated job.
			this.work.run(BegunRun.unrecorded(BegunRun.LOCKED, FiringScheduler.FIRE_TIME.get(), 0));
		}

	}

	/**
	 * Tells each task the fire time for which it was started.
	 */
	static class FiringScheduler extends ThreadPoolTaskScheduler {

		static final ThreadLocal<Instant> FIRE_TIME = new ThreadLocal<>();

		FiringScheduler() {
			// So that no job waits for another.
			setPoolSize(4);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
			AtomicReference<Instant> next = new AtomicReference<>();
			return super.schedule(() -> {
				FIRE_TIME.set(next.get());
				task.run();
			}, (context) -> {
				next.set(trigger.nextExecution(context));
				return next.get();
			});
		}

	}

	/**
	 * The work of each job.
	 *
	 * @param history where each run is written down
	 */
	record Work(HistoryWriter history) {

		private static final long TAKES_MILLIS = 200;

		void run(BegunRun run) {
			this.history.write("begin", run.job(), run.fireTime().toEpochMilli(), run.term(), run.attempt(),
					run.cause(), run.id() + "@" + System.currentTimeMillis());
			try {
				Thread.sleep(TAKES_MILLIS);
				this.history.write("end", run.job(), run.id());
			}
			catch (InterruptedException ex) {
				this.history.write("interrupted", run.job(), run.id());
			}
		}

	}

}
