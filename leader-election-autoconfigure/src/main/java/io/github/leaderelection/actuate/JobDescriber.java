package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Puts the status of jobs into the words of the endpoint. Whoever can write to the
 * database can write anything into the record of a run.
 */
final class JobDescriber {

	private JobDescriber() {
	}

	static List<JobDescriptor> describe(String election, List<JobStatus> jobs) {
		return jobs.stream()
			.filter((status) -> status.job().key().election().equals(election))
			.map(JobDescriber::describe)
			.toList();
	}

	private static JobDescriptor describe(JobStatus status) {
		Job job = status.job();
		RunRecord record = status.record();
		String timetable = job.timetable().toString();
		return new JobDescriptor(job.key().job(), timetable.isEmpty() ? null : timetable,
				(!timetable.isEmpty() && job.timetable().isFixed()) ? job.startingDeadline() : null, status.running(),
				status.next(), (record != null) ? record.skipped() : 0, (record != null) ? record.missed() : 0,
				(record != null && record.last() != null) ? describe(record.last()) : null,
				StoredText.printableOrNull(status.failure()));
	}

	private static JobRunDescriptor describe(JobRun run) {
		return new JobRunDescriptor(run.fireTime(), run.cause(), run.attempt(), run.outcome(), run.term(),
				StoredText.printable(run.candidateId()), run.startedAt(), run.finishedAt(),
				duration(run.startedAt(), run.finishedAt()));
	}

	/** The clock of a store can be set back. */
	private static @Nullable Duration duration(@Nullable Instant startedAt, @Nullable Instant finishedAt) {
		return (startedAt != null && finishedAt != null && !finishedAt.isBefore(startedAt))
				? Duration.between(startedAt, finishedAt) : null;
	}

}
