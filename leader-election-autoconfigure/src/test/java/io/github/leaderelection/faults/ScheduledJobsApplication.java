package io.github.leaderelection.faults;

import java.nio.file.Path;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.LeaderOnly.Recording;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application as users write it, with one job twice: its runs are recorded, or only
 * gated. Each run is written down when it begins and when it ends.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class ScheduledJobsApplication {

	static final String ELECTION = "jobs";

	/**
	 * Starts the application, which runs until it gets SIGTERM.
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
		return (args) -> history.write("process", elections.candidateId());
	}

	@Bean
	Jobs jobs(HistoryWriter history, JobRuns runs, LeaderElection elections) {
		return new Jobs(history, runs, elections);
	}

	/**
	 * The jobs.
	 */
	static class Jobs {

		static final String CRON = "*/5 * * * * *";

		private static final long TAKES_MILLIS = 200;

		private final HistoryWriter history;

		private final JobRuns runs;

		private final LeaderElection elections;

		Jobs(HistoryWriter history, JobRuns runs, LeaderElection elections) {
			this.history = history;
			this.runs = runs;
			this.elections = elections;
		}

		@Scheduled(cron = CRON)
		@LeaderOnly(value = ELECTION, job = BegunRun.RECORDED)
		public void recorded() {
			JobRun run = this.runs.currentRun().orElseThrow();
			run(new BegunRun(BegunRun.RECORDED, run.fireTime(), run.term(), run.attempt(), run.cause().name(),
					run.id()));
		}

		@Scheduled(cron = CRON)
		@LeaderOnly(value = ELECTION, record = Recording.NEVER)
		public void gated() {
			run(new BegunRun(BegunRun.GATED, this.runs.fireTime().orElseThrow(),
					this.elections.currentLeadership().term(), 1, "SCHEDULED", "-"));
		}

		private void run(BegunRun run) {
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
