package io.github.leaderelection.job;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * When a job is to run.
 */
public interface Timetable {

	/**
	 * The timetable of a job that others schedule: nothing is ever due by it.
	 */
	Timetable NONE = new Timetable() {

		@Override
		public @Nullable Instant next(RunRecord record) {
			return null;
		}

		@Override
		public @Nullable Instant last(RunRecord record, Instant now) {
			return null;
		}

		@Override
		public int count(Instant after, Instant until) {
			return 0;
		}

		@Override
		public String toString() {
			return "";
		}

	};

	/**
	 * Return the fire time that comes first after what is covered.
	 * @param record what is recorded about the job
	 * @return the fire time, {@code null} if none comes any more
	 */
	@Nullable Instant next(RunRecord record);

	/**
	 * Return the last fire time after what is covered that has come.
	 * @param record what is recorded about the job
	 * @param now the present time
	 * @return the fire time, not later than now, {@code null} if none has come
	 */
	@Nullable Instant last(RunRecord record, Instant now);

	/**
	 * Count fire times.
	 * @param after the time after which they come
	 * @param until the time until which they come
	 * @return how many there are, a thousand at most
	 */
	int count(Instant after, Instant until);

	/**
	 * Return whether fire times are caught up late, and called so. The others have no
	 * fire time of their own that could be missed.
	 * @return whether fire times are fixed by the timetable alone
	 */
	default boolean isFixed() {
		return true;
	}

	/**
	 * A rule that tells fire times one after the other.
	 */
	@FunctionalInterface
	interface Rule {

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
