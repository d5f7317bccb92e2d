package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.store.DamagedRecordException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobLedger}: what two threads do at the same time.
 */
class JobLedgerTests {

	private static final JobKey KEY = new JobKey(SimulatedElection.NAME, "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final JobRun RUN = new JobRun("one", KEY.election(), KEY.job(), NOON.plusSeconds(1), Cause.SCHEDULED,
			1, 5, "a", NOON, null, Outcome.RUNNING);

	private final JobLedger ledger = new JobLedger();

	private final RunRecord opened = RunRecord.first(KEY, 5, "hourly", NOON);

	private final RunRecord started = this.opened.started(RUN);

	/** Or the end would be forgotten, and the record would show the run for ever. */
	@Test
	void readingThatWasAskedForDuringAStartAndAnsweredAfterItDropsNoEnd() throws Exception {
		this.ledger.read(this.opened, this.ledger.changes());
		long start = this.ledger.attempted(this.started, true);
		long asked = this.ledger.changes();
		this.ledger.written(this.started, start);
		RecordedRun run = new RecordedRun(RUN, null, new SimulatedElection("a").begin(5),
				new RunClock(EngineClock.SYSTEM), (ended, end) -> {
				});
		this.ledger.begun(run);
		this.ledger.read(this.opened, asked);
		run.end(null);
		assertThat(settled().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	/** As when the next leader has reported it. */
	@Test
	void endThatTheRecordHasNoRoomForIsForgotten() throws Exception {
		RecordedRun run = new RecordedRun(RUN, null, new SimulatedElection("a").begin(5),
				new RunClock(EngineClock.SYSTEM), (ended, end) -> {
				});
		this.ledger.begun(run);
		run.end(null);
		this.ledger.read(this.opened, this.ledger.changes());
		assertThat(settled()).isNull();
		assertThat(this.ledger.isStale()).isFalse();
		this.ledger.read(this.started, this.ledger.changes());
		assertThat(settled()).isNull();
	}

	private RunRecord settled() throws DamagedRecordException {
		return this.ledger.owed(
				new JobSchedule(new Job(KEY, TimetableTests.everySeconds(3600), Duration.ofMinutes(10), 1), true), null,
				null, NOON);
	}

}
