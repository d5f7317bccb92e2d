package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * A delay from one run to the next, on whatever process. What is recorded tells when the
 * last one was, so that the delay outlives processes.
 */
final class IntervalTimetable implements Timetable {

	private final Duration delay;

	private final boolean fromEnd;

	IntervalTimetable(Duration delay, boolean fromEnd) {
		this.delay = delay;
		this.fromEnd = fromEnd;
	}

	@Override
	public Instant next(RunRecord record) {
		JobRun last = record.last();
		if (last == null) {
			return record.covered().plusMillis(1);
		}
		if (last.outcome() == Outcome.WITHDRAWN) {
			// It never began, so its fire time is due again.
			return record.covered().plus((last.fireTime() != null) ? Duration.ofMillis(1) : this.delay);
		}
		Instant from = base(last);
		Instant next = (from != null) ? from.plus(this.delay) : record.covered().plus(this.delay);
		return next.isAfter(record.covered()) ? next : record.covered().plusMillis(1);
	}

	/** A run that has not ended, and never will, is counted from its start. */
	private @Nullable Instant base(JobRun last) {
		Instant start = (last.fireTime() != null) ? last.fireTime() : last.startedAt();
		return (this.fromEnd && last.finishedAt() != null) ? last.finishedAt() : start;
	}

	@Override
	public @Nullable Instant last(RunRecord record, Instant now) {
		Instant next = next(record);
		if (next.isAfter(now)) {
			return null;
		}
		// One that is late by more than a delay starts anew from now, as schedulers do.
		return next.plus(this.delay).isAfter(now) ? next : now;
	}

	@Override
	public int count(Instant after, Instant until) {
		return 0;
	}

	@Override
	public boolean isFixed() {
		return false;
	}

	@Override
	public String toString() {
		return (this.fromEnd ? "fixedDelay " : "fixedRate ") + ReadableDuration.exact(this.delay);
	}

}
