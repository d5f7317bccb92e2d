package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When a majority of the servers acknowledged changes, which is the only one where there
 * are no more, as a {@link MajorityProbe} has found. Nobody can be elected while they do
 * not, so that this time does not count.
 *
 * @param gaps when it did not, in their order
 * @param probedNanos for how long this was asked
 */
record Majority(List<Gap> gaps, long probedNanos) {

	/** A candidate's call takes no longer: it gives up. */
	static final Duration PATIENCE = Duration.ofMillis(500);

	static final Majority ALWAYS = new Majority(List.of(), 0);

	static Majority parse(Iterable<String> lines) {
		List<Gap> gaps = new ArrayList<>();
		long first = 0;
		long last = 0;
		boolean answered = true;
		for (String line : lines) {
			String[] words = line.split(" ", -1);
			long ended = Long.parseLong(words[0]);
			long begun = Long.parseLong(words[2]);
			boolean before = answered;
			answered = words[1].equals(MajorityProbe.ANSWERED) && ended - begun <= PATIENCE.toNanos();
			if (!answered && !before) {
				begun = gaps.remove(gaps.size() - 1).from();
			}
			if (!answered) {
				gaps.add(new Gap(begun, ended));
			}
			first = (first == 0) ? begun : first;
			last = ended;
		}
		return new Majority(List.copyOf(gaps), last - first);
	}

	/**
	 * Return for how long at a stretch a majority answered between two times.
	 */
	long longestNanos(long from, long to) {
		long longest = 0;
		long since = from;
		for (Gap gap : this.gaps) {
			if (gap.to() > since && gap.from() < to) {
				longest = Math.max(longest, gap.from() - since);
				since = gap.to();
			}
		}
		return Math.max(longest, to - since);
	}

	/**
	 * Return in which part of the time a majority answered.
	 */
	double share() {
		long gone = this.gaps.stream().mapToLong((gap) -> gap.to() - gap.from()).sum();
		return (this.probedNanos > 0) ? 1 - (double) gone / this.probedNanos : 1;
	}

	/**
	 * A time in which no write of a majority was answered.
	 *
	 * @param from when the first write was sent that was not answered in time
	 * @param to when the last of them ended
	 */
	record Gap(long from, long to) {

	}

}
