package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Describes the status of an engine for the endpoint. The {@link SanitizingFunction
 * SanitizingFunctions} of the application apply to what candidates announce. Credentials
 * in an address are never shown.
 *
 * @param sanitizer applies these functions
 */
record ElectionDescriber(Sanitizer sanitizer) {

	ElectionsDescriptor describe(String candidateId, EngineStatus status, List<JobStatus> jobs) {
		StoreOutage outage = status.outage();
		Map<String, ElectionDescriptor> elections = new LinkedHashMap<>();
		status.elections().forEach((election) -> elections.put(election.election(), describe(election, status, jobs)));
		return new ElectionsDescriptor(candidateId, status.pushed(), status.notPushedBecause(),
				(outage != null) ? outage.duration() : null, (outage != null) ? outage.reason() : null, elections);
	}

	ElectionDescriptor describe(ElectionStatus election, EngineStatus status, List<JobStatus> jobs) {
		List<CandidateDescriptor> candidates = status.candidates()
			.stream()
			.filter((candidate) -> candidate.elections().contains(election.election()))
			.map((candidate) -> describe(candidate, election))
			.toList();
		String leader = election.leader();
		return new ElectionDescriptor(election.election(), election.role(),
				(leader != null) ? describe(leader, election, status.candidates()) : null, election.term(),
				election.electedAt(), election.remaining(), election.observed(), election.lastLoss(),
				election.callsInFlight(), candidates, jobs(election.election(), jobs), election.damage(),
				election.components(), election.suspended(),
				election.leaderless().isZero() ? null : election.leaderless(),
				election.leaderless().isZero() ? null : leaderlessBecause(election, status, candidates));
	}

	private static List<JobDescriptor> jobs(String election, List<JobStatus> jobs) {
		return jobs.stream()
			.filter((status) -> status.job().key().election().equals(election))
			.map(ElectionDescriber::describe)
			.toList();
	}

	/**
	 * Make stored text printable: anyone who can write to the database can write anything
	 * into the record of a run.
	 */
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

	/** Return no duration if a clock was set back during the run. */
	private static @Nullable Duration duration(@Nullable Instant startedAt, @Nullable Instant finishedAt) {
		return (startedAt != null && finishedAt != null && !finishedAt.isBefore(startedAt))
				? Duration.between(startedAt, finishedAt) : null;
	}

	private static @Nullable String leaderlessBecause(ElectionStatus election, EngineStatus status,
			List<CandidateDescriptor> candidates) {
		if (election.suspended()) {
			return "the election is paused";
		}
		if (election.damage() != null) {
			return "the lease is damaged: " + election.damage();
		}
		StoreOutage outage = status.outage();
		if (outage != null) {
			return "leases can't be reached: " + outage.reason();
		}
		if (!candidates.isEmpty() && candidates.stream().allMatch(CandidateDescriptor::paused)) {
			return "all candidates are paused";
		}
		return (election.leader() != null) ? "the last leader sends no heartbeat, and nobody has taken over yet" : null;
	}

	private CandidateDescriptor describe(String id, ElectionStatus election, List<CandidateRecord> known) {
		return known.stream()
			.filter((candidate) -> candidate.id().equals(id))
			.findFirst()
			.map((candidate) -> describe(candidate, election))
			.orElseGet(() -> new CandidateDescriptor(id, null, null, null, null, null, false));
	}

	CandidateDescriptor describe(CandidateRecord candidate, ElectionStatus election) {
		return new CandidateDescriptor(candidate.id(), sanitize("application", candidate.application()),
				sanitize("host", candidate.host()), sanitize("version", candidate.version()),
				sanitize("address", withoutCredentials(candidate.address())), candidate.seenAt(),
				candidate.paused().contains(election.election()));
	}

	private @Nullable String sanitize(String key, @Nullable String value) {
		Object sanitized = this.sanitizer.sanitize(new SanitizableData(null, key, value), true);
		return (sanitized != null) ? sanitized.toString() : null;
	}

	private static @Nullable String withoutCredentials(@Nullable String address) {
		return (address != null) ? StoredText.masked(address) : null;
	}

}
