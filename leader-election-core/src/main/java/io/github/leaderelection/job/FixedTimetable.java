package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Times that are fixed by a rule which tells the next one, such as a cron expression.
 */
final class FixedTimetable implements Timetable {

	private static final int MOST = 1000;

	/** A day in seconds: longer than any clock is ever set back. */
	private static final long MOST_AHEAD = 86_400;

	private final String description;

	private final Rule rule;

	FixedTimetable(String description, Rule rule) {
		this.description = description;
		this.rule = rule;
	}

	/** A rule that goes backwards is asked for later times, until it does not. */
	@Nullable Instant next(Instant after) {
		Instant next = this.rule.next(after);
		for (long ahead = 1; next != null && !next.isAfter(after) && ahead <= MOST_AHEAD; ahead *= 2) {
			next = this.rule.next(after.plusSeconds(ahead));
		}
		return (next != null && next.isAfter(after)) ? next : null;
	}

	@Override
	public @Nullable Instant next(RunRecord record) {
		return next(record.covered());
	}

	/**
	 * The rule looks ahead only. Whether it has a time between one and now turns from yes
	 * to no once, as that one gets later: where it does so is found by halving.
	 */
	@Override
	public @Nullable Instant last(RunRecord record, Instant now) {
		Instant first = next(record.covered());
		if (first == null || first.isAfter(now)) {
			return null;
		}
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

	@Override
	public int count(Instant after, Instant until) {
		int count = 0;
		Instant next = next(after);
		while (next != null && !next.isAfter(until) && count < MOST) {
			count++;
			next = next(next);
		}
		return count;
	}

	@Override
	public String toString() {
		return this.description;
	}

}
