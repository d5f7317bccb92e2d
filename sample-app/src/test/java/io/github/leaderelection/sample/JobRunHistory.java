package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Finds violations in the runs that instances have recorded: in each election terms never
 * go back, a term has one candidate, and runs of different terms do not overlap. A run
 * without an end has been cut off; only its start is known.
 */
final class JobRunHistory {

	private final Map<String, List<Run>> runs;

	JobRunHistory(List<Run> runs) {
		this.runs = runs.stream()
			.sorted(Comparator.comparing(Run::startedAt).thenComparing(Run::term))
			.collect(Collectors.groupingBy(Run::election, TreeMap::new, Collectors.toList()));
	}

	/**
	 * Return the runs of one election in the order in which they began.
	 */
	List<Run> of(String election) {
		return this.runs.getOrDefault(election, List.of());
	}

	/**
	 * Return the first matching run of the election that began at or after the time.
	 */
	Run first(String election, Instant from, Predicate<Run> fitting) {
		return of(election).stream()
			.filter((run) -> !run.startedAt().isBefore(from))
			.filter(fitting)
			.findFirst()
			.orElseThrow(() -> new AssertionError("No such run of " + election + " since " + from + ": " + this.runs));
	}

	List<String> violations() {
		List<String> violations = new ArrayList<>();
		this.runs.values().forEach((each) -> check(each, violations));
		return violations;
	}

	private static void check(List<Run> ordered, List<String> violations) {
		for (int i = 0; i < ordered.size(); i++) {
			Run run = ordered.get(i);
			if (run.finishedAt() != null && run.finishedAt().isBefore(run.startedAt())) {
				violations.add("Ended before it began: " + run);
			}
			for (Run later : ordered.subList(i + 1, ordered.size())) {
				check(run, later, violations);
			}
		}
	}

	private static void check(Run run, Run later, List<String> violations) {
		if (later.term() < run.term()) {
			violations.add("The term went back: %s, then %s".formatted(run, later));
		}
		if (later.term() == run.term() && !later.candidate().equals(run.candidate())) {
			violations.add("Two candidates in one term: %s, and %s".formatted(run, later));
		}
		if (later.term() != run.term() && run.finishedAt() != null && run.finishedAt().isAfter(later.startedAt())) {
			violations.add("Overlap of two terms: %s, and %s".formatted(run, later));
		}
	}

}
