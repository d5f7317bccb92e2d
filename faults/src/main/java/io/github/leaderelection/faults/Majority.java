package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When a majority of the servers acknowledged changes, as a {@link MajorityProbe} has
 * found; a single server is a majority. Nobody can be elected without one, so time
 * without it does not count.
 *
 * @param gaps the times without a majority, in their order
 * @param probedNanos for how long the probe ran
 */
record Majority(List<Gap> gaps, long probedNanos) {

	/** Slower answers do not count: the call of a candidate might have timed out. */
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
	 * Return the longest stretch between two times in which a majority answered.
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
	 * Return the share of the time in which a majority answered.
	 */
	double share() {
		long gone = this.gaps.stream().mapToLong((gap) -> gap.to() - gap.from()).sum();
		return (this.probedNanos > 0) ? 1 - (double) gone / this.probedNanos : 1;
	}

	/**
	 * A time in which no majority write was answered.
	 *
	 * @param from when the first write was sent that was not answered in time
	 * @param to when the last such write ended
	 */
	record Gap(long from, long to) {

	}

}
