package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Makes timetables.
 */
public final class Timetables {

	private Timetables() {
	}

	/**
	 * Return a timetable of fixed times.
	 * @param description the timetable in words; a job for which another is recorded
	 * starts anew with it
	 * @param rule tells the fire times
	 * @return the timetable
	 */
	public static Timetable of(String description, Timetable.Rule rule) {
		return new FixedTimetable(description, rule);
	}

	/**
	 * Return the timetable of a job that has several.
	 * @param timetables the timetables, fixed ones
	 * @return one that has all their fire times
	 */
	public static Timetable union(List<Timetable> timetables) {
		if (timetables.size() == 1) {
			return timetables.get(0);
		}
		List<FixedTimetable> fixed = timetables.stream().map(FixedTimetable.class::cast).toList();
		return new FixedTimetable(
				timetables.stream().map(Timetable::toString).sorted().collect(Collectors.joining(" | ")),
				(after) -> fixed.stream()
					.map((each) -> each.next(after))
					.filter(Objects::nonNull)
					.min(Instant::compareTo)
					.orElse(null));
	}

	/**
	 * Return a timetable that counts from the last run.
	 * @param delay the time from one run to the next, positive
	 * @param fromEnd whether it counts from the end of the last run; otherwise from its
	 * fire time
	 * @return the timetable
	 */
	public static Timetable every(Duration delay, boolean fromEnd) {
		return new IntervalTimetable(delay, fromEnd);
	}

}
