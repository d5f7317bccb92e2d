package io.github.leaderelection.sample;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Component;

/**
 * Runs the work of jobs, and keeps a record of each run in the database.
 */
@Component
class RunLog {

	private static final Logger logger = LoggerFactory.getLogger(RunLog.class);

	private final LeaderElection elections;

	private final JobRuns jobRuns;

	private final MongoOperations mongo;

	RunLog(LeaderElection elections, JobRuns jobRuns, MongoOperations mongo) {
		this.elections = elections;
		this.jobRuns = jobRuns;
		this.mongo = mongo;
	}

	/**
	 * Run the work, and record it with the term it runs under. A run that can't be
	 * recorded is skipped.
	 * @param job the name of the job
	 * @param work the work
	 * @throws IllegalStateException if the caller is not gated by {@code @LeaderOnly}
	 */
	void record(String job, Work work) {
		Leadership leadership = this.elections.currentLeadership();
		Run run = begin(job, leadership);
		if (run == null) {
			return;
		}
		Outcome outcome = Outcome.FAILED;
		try {
			outcome = work.run(leadership) ? Outcome.SUCCEEDED : Outcome.UNFINISHED;
		}
		catch (InterruptedException ex) {
			// The run ends here, so the interrupt is not restored. If work remains, the
			// next leader does it.
			outcome = Outcome.UNFINISHED;
			logger.info("The {} was stopped in term {}: {}", job, run.term(), leadership.lossReason().orElse(null));
		}
		finally {
			end(run, outcome);
		}
	}

	private @Nullable Run begin(String job, Leadership leadership) {
		try {
			return this.mongo
				.insert(new Run(null, job, leadership.election(), leadership.term(), leadership.candidateId(),
						Instant.now(), null, this.jobRuns.currentRun().map(JobRun::cause).orElse(null), null));
		}
		catch (DataAccessException ex) {
			logger.warn("The {} is left out, since it can't be recorded: {}", job, ex.getMessage());
			return null;
		}
	}

	private void end(Run run, Outcome outcome) {
		Instant now = Instant.now();
		// Work may have left the thread interrupted, and the driver would then refuse to
		// write.
		Thread.interrupted();
		try {
			this.mongo.updateFirst(Query.query(Criteria.where("id").is(run.id())),
					Update.update("finishedAt", now).set("outcome", outcome), Run.class);
			logger.info("The {} ran in term {}: {}", run.job(), run.term(), outcome);
		}
		catch (DataAccessException ex) {
			logger.warn("The end of the {} can't be recorded: {}", run.job(), ex.getMessage());
		}
	}

	/**
	 * The work of a job.
	 */
	@FunctionalInterface
	interface Work {

		/**
		 * Do the work.
		 * @param leadership the leadership under which it is done
		 * @return whether all of it was done
		 * @throws InterruptedException if leadership is lost meanwhile
		 */
		boolean run(Leadership leadership) throws InterruptedException;

	}

}
