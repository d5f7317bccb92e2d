package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.JobStatus;
import io.github.leaderelection.job.RunRecord;
import io.github.leaderelection.job.Timetable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.Sanitizer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionDescriber}.
 */
class ElectionDescriberTests {

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private final ElectionDescriber describer = new ElectionDescriber(new Sanitizer());

	@Test
	void componentsAreShown() {
		ComponentStatus listener = new ComponentStatus("listener", ComponentStatus.State.FAILED, 2, "no broker");
		assertThat(describe(List.of(listener), List.of()).components()).containsExactly(listener);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", value = { "0, -, false, -, -", "5, -, false, -, -",
			"5, other, false, -, 'the last leader sends no heartbeat, and nobody has taken over yet'",
			"5, other, false, no answer, leases can't be reached: no answer",
			"5, -, false, no answer, leases can't be reached: no answer", "5, -, true, -, the election is paused" })
	void electionShowsWhyItHasNoLeader(int seconds, String leader, boolean suspended, String outage, String because) {
		ElectionStatus election = new ElectionStatus("jobs", leader, Role.FOLLOWER, 1, null, Duration.ZERO, null, 0,
				null, Duration.ofSeconds(20), false, Duration.ZERO, null, Duration.ofSeconds(seconds), false, null,
				Duration.ZERO, List.of(), suspended);
		StoreOutage present = (outage != null) ? new StoreOutage(Duration.ofSeconds(7), outage) : null;
		EngineStatus status = new EngineStatus(present, true, null, List.of(election), List.of(), List.of());
		ElectionDescriptor described = this.describer.describe(election, status, List.of());
		assertThat(described.leaderlessFor()).isEqualTo((seconds > 0) ? Duration.ofSeconds(seconds) : null);
		assertThat(described.leaderlessBecause()).isEqualTo(because);
		assertThat(this.describer.describe("me", status, List.of()).elections()).containsValue(described);
	}

	@Test
	void storedRunsCannotForgeLines() {
		JobKey key = new JobKey("jobs", "report");
		JobRun last = new JobRun("1", "jobs", "report", NOON, JobRun.Cause.CATCH_UP, 2, 7, "me\u2028\nevil", NOON,
				NOON.minusSeconds(1), JobRun.Outcome.UNFINISHED);
		RunRecord record = new RunRecord(key, 1, 7, NOON, "stored\ntimetable", 2, 3, last);
		Job job = new Job(key, Timetable.of("hourly", (after) -> after.plusSeconds(3600)), Duration.ofMinutes(10), 1);
		JobDescriptor described = describe(List.of(),
				List.of(new JobStatus(job, record, NOON.plusSeconds(3600), false, "bad\nluck"),
						new JobStatus(
								new Job(new JobKey("others", "report"), Timetable.NONE, Duration.ofMinutes(10), 1),
								null, null, false, null)))
			.jobs()
			.get(0);
		assertThat(described).isEqualTo(new JobDescriptor("report", "hourly", Duration.ofMinutes(10), false,
				NOON.plusSeconds(3600), 2, 3, new JobRunDescriptor(NOON, JobRun.Cause.CATCH_UP, 2,
						JobRun.Outcome.UNFINISHED, 7, "me??evil", NOON, NOON.minusSeconds(1), null),
				"bad?luck"));
	}

	private ElectionDescriptor describe(List<ComponentStatus> components, List<JobStatus> jobs) {
		ElectionStatus election = new ElectionStatus("jobs", "me", Role.LEADER, 1, null, Duration.ZERO, null, 0, null,
				Duration.ofSeconds(20), false, Duration.ZERO, null, Duration.ZERO, false, null, Duration.ZERO,
				components, false);
		EngineStatus status = new EngineStatus(null, true, null, List.of(election), List.of(), List.of());
		return this.describer.describe(election, status, jobs);
	}

}
