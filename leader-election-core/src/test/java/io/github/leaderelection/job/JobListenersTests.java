package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.LogCapture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobListeners}: what they log.
 */
@ExtendWith(LogCapture.class)
class JobListenersTests {

	private static final JobKey KEY = new JobKey("orders", "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private final JobListeners listeners = new JobListeners(List.of());

	@Test
	void logUsesSingularAndPlural(CapturedLog log) {
		this.listeners.onMissed(KEY, NOON, 1);
		this.listeners.onMissed(KEY, NOON.plusSeconds(3600), 3);
		this.listeners.onSkipped(KEY, 1);
		this.listeners.onSkipped(KEY, 2);
		assertThat(lines(log)).containsExactly(
				"WARN Job 'orders/report': 1 fire time passed without a run, at 2026-03-01T12:00:00Z",
				"WARN Job 'orders/report': 3 fire times passed without a run, the last at 2026-03-01T13:00:00Z",
				"INFO Job 'orders/report' has skipped 1 fire time during a run",
				"INFO Job 'orders/report' has skipped 2 fire times during a run");
		assertThat(log.events()).allSatisfy(
				(event) -> assertThat(event.getKeyValuePairs()).extracting((pair) -> pair.key + "=" + pair.value)
					.containsExactly("election=orders", "job=report"));
	}

	/** As under overload, where each run of many jobs misses some. */
	@Test
	void missedFireTimesAreLoggedOnceAnHour(CapturedLog log) {
		for (int second = 0; second <= 3600; second++) {
			this.listeners.onMissed(KEY, NOON.plusSeconds(second), 1);
		}
		assertThat(lines(log)).containsExactly(
				"WARN Job 'orders/report': 1 fire time passed without a run, at 2026-03-01T12:00:00Z",
				"WARN Job 'orders/report': 3600 fire times passed without a run, the last at 2026-03-01T13:00:00Z");
	}

	@Test
	void durationsAreReadable(CapturedLog log) {
		this.listeners.onStarted(run(Cause.CATCH_UP, 1, NOON), Duration.ofMillis(7_985_123));
		this.listeners.onStarted(run(Cause.SCHEDULED, 1, NOON), Duration.ofNanos(250_999_999));
		this.listeners.onStarted(run(Cause.TRIGGERED, 2, null), Duration.ZERO);
		this.listeners.onEnded(run(Cause.SCHEDULED, 1, NOON), Duration.ofMillis(1250));
		assertThat(lines(log)).containsExactly(
				"INFO Job 'orders/report' catches up 2026-03-01T12:00:00Z, 2 h 13 min late",
				"DEBUG Job 'orders/report' is started for 2026-03-01T12:00:00Z, 250 ms late, attempt 1",
				"DEBUG Job 'orders/report' is started for a trigger, 0 s late, attempt 2",
				"DEBUG Job 'orders/report' has failed after 1.2 s");
	}

	@Test
	void unfinishedRunIsLoggedOnOneLine(CapturedLog log) {
		this.listeners.onUnfinished(run(Cause.SCHEDULED, 1, NOON), true);
		this.listeners.onUnfinished(run(Cause.TRIGGERED, 2, null), false);
		assertThat(lines(log)).containsExactly(
				"WARN Job 'orders/report' was started for 2026-03-01T12:00:00Z "
						+ "by me?WARN in term 7, attempt 1, and its end was never recorded. It is attempted again",
				"WARN Job 'orders/report' was started for a trigger "
						+ "by me?WARN in term 7, attempt 2, and its end was never recorded. It is not attempted again: "
						+ "its attempts are used up, or a later fire time has come");
	}

	@Test
	void failingListenerDoesNotAffectOthers() {
		JobListener failing = new JobListener() {

			@Override
			public void onStarted(JobRun run, Duration late) {
				throw new StackOverflowError("as the test wants");
			}

		};
		AtomicInteger heard = new AtomicInteger();
		JobListener other = new JobListener() {

			@Override
			public void onStarted(JobRun run, Duration late) {
				heard.incrementAndGet();
			}

		};
		new JobListeners(List.of(failing, other)).onStarted(run(Cause.SCHEDULED, 1, NOON), Duration.ZERO);
		assertThat(heard).hasValue(1);
	}

	private static JobRun run(Cause cause, int attempt, @Nullable Instant fireTime) {
		return new JobRun("1", "orders", "report", fireTime, cause, attempt, 7, "me\nWARN", null, null, Outcome.FAILED);
	}

	private static List<String> lines(CapturedLog log) {
		return log.events().stream().map((event) -> event.getLevel() + " " + event.getFormattedMessage()).toList();
	}

}
