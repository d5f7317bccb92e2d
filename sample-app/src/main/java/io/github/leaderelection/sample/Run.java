package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Objects;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * One run of a job, kept as a record of who did what under which term.
 *
 * @param id the id, {@code null} before it is stored
 * @param job the name of the job
 * @param election the election whose leader ran it
 * @param term the term of that leader
 * @param candidate the candidate id of that leader
 * @param startedAt when it began
 * @param finishedAt when it ended, {@code null} while it runs and after a crash
 * @param cause why it was started, {@code null} if the library does not record that
 * @param outcome its outcome, {@code null} while it runs and after a crash
 */
@Document("job_runs")
record Run(@Id @Nullable String id, String job, String election, long term, String candidate, Instant startedAt,
		@Nullable Instant finishedAt, @Nullable Cause cause, @Nullable Outcome outcome) {

	Run {
		Objects.requireNonNull(job);
		Objects.requireNonNull(election);
		Objects.requireNonNull(candidate);
		Objects.requireNonNull(startedAt);
	}

}
