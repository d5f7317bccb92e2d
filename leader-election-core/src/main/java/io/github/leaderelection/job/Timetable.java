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
 * When a job is to run: at times that a rule tells, such as a cron expression, or at an
 * interval that is counted from its last run, on whatever process that was.
 */
public final class Timetable {

	/**
	 * The timetable of a job that others schedule: nothing is ever due by it.
	 */
	public static final Timetable NONE = of("", (after) -> null);

	private static final int MOST = 1000;

	/** A day in seconds: longer than any clock is ever set back. */
	private static final long MOST_AHEAD = 86_400;

	private final String description;

	private final Rule rule;

	/** The interval, {@code null} where a rule fixes the times. */
	private final @Nullable Duration interval;

	/** Whether the interval is counted from the end of the last run. */
	private final boolean fromEnd;

	private Timetable(String description, Rule rule, @Nullable Duration interval, boolean fromEnd) {
		this.description = description;
		this.rule = rule;
		this.interval = interval;
		this.fromEnd = fromEnd;
	}

	/**
	 * Return a timetable of fixed times.
	 * @param description the timetable in words; a job for which another is recorded
	 * starts anew with it
	 * @param rule tells the fire times
	 * @return the timetable
	 */
	public static Timetable of(String description, Rule rule) {
		return new Timetable(description, rule, null, false);
	}

	/**
	 * Return the timetable of a job that has several.
	 * @param timetables the timetables, of fixed times
	 * @return one that has all their fire times
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
	 * Return whether fire times are fixed by the timetable alone, so that they are caught
	 * up late, and called so. The others have no fire time of their own that could be
	 * missed.
	 * @return whether they are fixed
	 */
	public boolean isFixed() {
		return this.interval == null;
	}

	/**
	 * Return the fire time that comes first after what is covered.
	 * @param record what is recorded about the job
	 * @return the fire time, {@code null} if none comes any more
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
		// A run that has not ended, and never will, is counted from its start.
		Instant start = (last.fireTime() != null) ? last.fireTime() : last.startedAt();
		Instant from = (this.fromEnd && last.finishedAt() != null) ? last.finishedAt() : start;
		Instant next = ((from != null) ? from : record.covered()).plus(interval);
		return next.isAfter(soonest) ? next : soonest;
	}

	/** A rule that goes backwards is asked for later times, until it does not. */
	private @Nullable Instant next(Instant after) {
		Instant next = this.rule.next(after);
		for (long ahead = 1; next != null && !next.isAfter(after) && ahead <= MOST_AHEAD; ahead *= 2) {
			next = this.rule.next(after.plusSeconds(ahead));
		}
		return (next != null && next.isAfter(after)) ? next : null;
	}

	/**
	 * Return the last fire time after what is covered that has come.
	 * @param record what is recorded about the job
	 * @param now the present time
	 * @return the fire time, not later than now, {@code null} if none has come
	 */
	public @Nullable Instant last(RunRecord record, Instant now) {
		Instant first = next(record);
		if (first == null || first.isAfter(now)) {
			return null;
		}
		if (this.interval != null) {
			// One that is late by more than the interval starts anew from now, as
			// schedulers do.
			return first.plus(this.interval).isAfter(now) ? first : now;
		}
		return last(first, now);
	}

	/**
	 * The rule looks ahead only. Whether it has a time between one and now turns from yes
	 * to no once, as that one gets later: where it does so is found by halving.
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
	 * @param after the time after which they come
	 * @param until the time until which they come
	 * @return how many there are, a thousand at most; none where they are not fixed
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
	 * A rule that tells fire times one after the other.
	 */
	@FunctionalInterface
	public interface Rule {

		/**
		 * Return the next fire time. One that is not later than asked for, as Spring's
		 * cron tells where clocks are set back by half an hour, does not count: the rule
		 * is asked for later ones, up to a day ahead.
		 * @param after the time after which it comes
		 * @return the first fire time after that, {@code null} if there is none
		 */
		@Nullable Instant next(Instant after);

	}

}
