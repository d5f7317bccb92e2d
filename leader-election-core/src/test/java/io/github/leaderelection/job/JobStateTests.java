package io.github.leaderelection.job;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobState}, with actions of two threads at the same time.
 */
class JobStateTests {

	private static final JobKey KEY = new JobKey(SimulatedElection.NAME, "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final JobRun RUN = new JobRun("one", KEY.election(), KEY.job(), NOON.plusSeconds(1), Cause.SCHEDULED,
			1, 5, "a", NOON, null, Outcome.RUNNING);

	private final JobState state = new JobState(KEY);

	private final RunRecord opened = RunRecord.first(KEY, 5, "hourly", NOON);

	private final RunRecord started = this.opened.started(RUN);

	/** Otherwise the end would be lost, or the run would look as if it went on. */
	@Test
	void readOverlappingAChangeIsIgnored() {
		this.state.read(this.opened, this.state.changes());
		long start = this.state.attempted();
		long asked = this.state.changes();
		this.state.written(this.started, start, true);
		RecordedRun run = new RecordedRun(RUN, null, new SimulatedElection("a").begin(5),
				new RunClock(EngineClock.SYSTEM), (ended, end) -> this.state.changed());
		this.state.begun(run);
		this.state.read(this.opened, asked);
		run.end(null);
		RunRecord ended = settled();
		long change = this.state.attempted();
		asked = this.state.changes();
		this.state.written(ended, change, false);
		this.state.read(this.started, asked);
		assertThat(this.state.last().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	/** As if the next leader has already reported the run as unfinished. */
	@Test
	void endThatNoLongerFitsTheRecordIsDropped() {
		RecordedRun run = new RecordedRun(RUN, null, new SimulatedElection("a").begin(5),
				new RunClock(EngineClock.SYSTEM), (ended, end) -> this.state.changed());
		this.state.begun(run);
		run.end(null);
		this.state.read(this.opened, this.state.changes());
		assertThat(settled()).isNull();
		assertThat(this.state.isStale()).isFalse();
		this.state.read(this.started, this.state.changes());
		assertThat(settled()).isNull();
	}

	private RunRecord settled() {
		return this.state.settled(this.state.present(), null, false);
	}

}
