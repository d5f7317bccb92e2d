package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * When a job is to run: at fixed times that a rule gives, such as a cron expression, or
 * at an interval that counts from its last run, on whichever process that was.
 */
public final class Timetable {

	/**
	 * The timetable of a job that other code schedules: no run is ever due by it.
	 */
	public static final Timetable NONE = of("", (after) -> null);

	private static final int MOST = 1000;

	/** A day in seconds: more than the clocks of any time zone are set back. */
	private static final long MOST_AHEAD = 86_400;

	private final String description;

	private final Rule rule;

	/** The interval, {@code null} if a rule gives the times. */
	private final @Nullable Duration interval;

	/** Whether the interval counts from the end of the last run. */
	private final boolean fromEnd;

	private Timetable(String description, Rule rule, @Nullable Duration interval, boolean fromEnd) {
		this.description = description;
		this.rule = rule;
		this.interval = interval;
		this.fromEnd = fromEnd;
	}

	/**
	 * Return a timetable with fixed times.
	 * @param description the timetable in words; if another one is recorded for the job,
	 * earlier fire times do not count
	 * @param rule gives the fire times
	 * @return the timetable
	 */
	public static Timetable of(String description, Rule rule) {
		return new Timetable(description, rule, null, false);
	}

	/**
	 * Combine several timetables of one job.
	 * @param timetables the timetables, with fixed times
	 * @return a timetable that has the fire times of all
	 */
	public static Timetable union(List<Timetable> timetables) {
		return of(timetables.stream().map(Timetable::toString).sorted().collect(Collectors.joining(" | ")),
				(after) -> timetables.stream()
					.map((each) -> each.next(after))
					.filter(Objects::nonNull)
					.min(Instant::compareTo)
					.orElse(null));
	}

	/**
	 * Return a timetable that counts from the last run.
	 * @param interval the time from one run to the next, positive
	 * @param fromEnd whether it counts from the end of the last run; otherwise from its
	 * fire time
	 * @return the timetable
	 */
	public static Timetable every(Duration interval, boolean fromEnd) {
		return new Timetable((fromEnd ? "fixedDelay " : "fixedRate ") + ReadableDuration.exact(interval),
				(after) -> null, interval, fromEnd);
	}

	/**
	 * Return whether the timetable alone determines the fire times. Only then can a fire
	 * time be missed, or a run be a catch-up: runs at an interval have no fire time of
	 * their own.
	 * @return whether fire times are fixed
	 */
	public boolean isFixed() {
		return this.interval == null;
	}

	/**
	 * Return the first fire time that is not covered.
	 * @param record the record of the job
	 * @return the fire time, {@code null} if there is none
	 */
	public @Nullable Instant next(RunRecord record) {
		return (this.interval != null) ? next(record, this.interval) : next(record.covered());
	}

	private Instant next(RunRecord record, Duration interval) {
		JobRun last = record.last();
		Instant soonest = record.covered().plusMillis(1);
		if (last == null) {
			return soonest;
		}
		// If the end of the last run is not recorded, count from its start.
		Instant start = (last.fireTime() != null) ? last.fireTime() : last.startedAt();
		Instant from = (this.fromEnd && last.finishedAt() != null) ? last.finishedAt() : start;
		Instant next = ((from != null) ? from : record.covered()).plus(interval);
		return next.isAfter(soonest) ? next : soonest;
	}

	/**
	 * Return the next fire time. If the rule returns a time that is not later, ask it
	 * again with later times.
	 */
	private @Nullable Instant next(Instant after) {
		Instant next = this.rule.next(after);
		for (long ahead = 1; next != null && !next.isAfter(after) && ahead <= MOST_AHEAD; ahead *= 2) {
			next = this.rule.next(after.plusSeconds(ahead));
		}
		return (next != null && next.isAfter(after)) ? next : null;
	}

	/**
	 * Return the last fire time that has come and is not covered.
	 * @param record the record of the job
	 * @param now the current time
	 * @return the fire time, not later than now, {@code null} if there is none
	 */
	public @Nullable Instant last(RunRecord record, Instant now) {
		Instant first = next(record);
		if (first == null || first.isAfter(now)) {
			return null;
		}
		if (this.interval != null) {
			// If it is late by more than the interval, start again from now, as
			// schedulers do.
			return first.plus(this.interval).isAfter(now) ? first : now;
		}
		return last(first, now);
	}

	/**
	 * Find the last fire time by binary search, since the rule looks ahead only. Whether
	 * a fire time lies between a given time and now changes from yes to no once, as the
	 * given time moves later.
	 */
	private Instant last(Instant first, Instant now) {
		Instant found = first;
		Instant bound = now;
		while (Duration.between(found, bound).toMillis() > 0) {
			Instant middle = found.plusMillis(Duration.between(found, bound).toMillis() / 2);
			Instant next = next(middle);
			if (next == null || next.isAfter(now)) {
				bound = middle;
			}
			else {
				found = next;
			}
		}
		return found;
	}

	/**
	 * Count fire times.
	 * @param after the time after which to count
	 * @param until the last time to count
	 * @return the number of fire times, 1000 at most; 0 if they are not fixed
	 */
	public int count(Instant after, Instant until) {
		int count = 0;
		Instant next = next(after);
		while (next != null && !next.isAfter(until) && count < MOST) {
			count++;
			next = next(next);
		}
		return count;
	}

	/**
	 * Return the timetable in words.
	 */
	@Override
	public String toString() {
		return this.description;
	}

	/**
	 * A rule that gives fire times one after the other.
	 */
	@FunctionalInterface
	public interface Rule {

		/**
		 * Return the next fire time. A result that is not later than the given time, as
		 * Spring's cron expressions return where clocks are set back by half an hour,
		 * does not count: the rule is asked again with later times, up to a day ahead.
		 * @param after the time to search from, exclusive
		 * @return the first fire time after that, {@code null} if there is none
		 */
		@Nullable Instant next(Instant after);

	}

}
