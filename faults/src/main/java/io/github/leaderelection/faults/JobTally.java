package io.github.leaderelection.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.faults.JobFaultRun.Injected;

/**
 * Counts what became of each fire time of a job, and finds violations of the rules.
 */
final class JobTally {

	static final Duration PERIOD = Duration.ofSeconds(5);

	/** The longest time it takes to record the end of a run. */
	private static final Duration RECORDING = Duration.ofMillis(500);

	private final List<BegunRun> begun;

	private final List<String> violations = new ArrayList<>();

	private long fireTimes;

	private long notBegun;

	/** The runs whose start was taken back. */
	private final Set<String> withdrawn = new HashSet<>();

	private long coalesced;

	private long coalescing;

	private long skipped;

	private JobTally(List<BegunRun> begun) {
		this.begun = begun;
	}

	/**
	 * Report fire times that passed without a run and without an explanation: another
	 * leader, a fault, or a run still in progress.
	 */
	JobTally explainedBy(List<Injected> faults) {
		List<BegunRun> runs = this.begun.stream().sorted(Comparator.comparing(BegunRun::nanos)).toList();
		for (int i = 1; i < runs.size(); i++) {
			BegunRun before = runs.get(i - 1);
			BegunRun now = runs.get(i);
			Instant free = before.ended() ? before.end().plus(RECORDING) : before.fireTime();
			if (before.term() == now.term() && count(free, now.fireTime()) > 1 && faults.stream()
				.noneMatch((fault) -> fault.begun() < now.nanos() && fault.over() > before.nanos())) {
				this.violations
					.add("fire times passed without a run and without a reason: %s, then %s".formatted(before, now));
			}
		}
		return this;
	}

	/**
	 * Tally a job without a record: a fire time for which no run has begun is missed.
	 */
	static JobTally ofUnrecorded(List<BegunRun> begun) {
		JobTally tally = new JobTally(begun);
		List<Instant> times = begun.stream().map(BegunRun::fireTime).sorted().toList();
		if (!times.isEmpty()) {
			tally.fireTimes = count(times.get(0).minusMillis(1), times.get(times.size() - 1));
		}
		return tally;
	}

	/**
	 * Compare the runs with the record: each covered fire time was either started or
	 * counted as not started.
	 */
	static JobTally ofRecorded(List<BegunRun> begun, List<RecordedState> states) {
		JobTally tally = new JobTally(begun);
		tally.check(begun, states);
		for (int i = 1; i < states.size(); i++) {
			tally.add(states.get(i - 1), states.get(i));
		}
		if (!states.isEmpty()) {
			tally.fireTimes = count(states.get(0).covered(), states.get(states.size() - 1).covered());
		}
		return tally;
	}

	private void check(List<BegunRun> begun, List<RecordedState> states) {
		Map<String, RecordedState> starts = new HashMap<>();
		Map<String, String> outcomes = new HashMap<>();
		String before = null;
		for (RecordedState state : states) {
			String run = state.run();
			if (before != null && !before.equals(run) && (run == null || starts.containsKey(run))) {
				this.withdrawn.add(before);
			}
			if (run != null) {
				starts.putIfAbsent(run, state);
				outcomes.put(run, state.outcome());
			}
			before = run;
		}
		Map<String, BegunRun> runs = new HashMap<>();
		for (BegunRun run : begun) {
			RecordedState start = starts.get(run.id());
			if (runs.put(run.id(), run) != null) {
				this.violations.add("begun twice by one recorded start: " + run);
			}
			if (start == null || !run.fireTime().equals(start.fireTime()) || run.term() != start.term()
					|| run.attempt() != start.attempt()) {
				this.violations.add("begun, but not recorded like this: %s, %s".formatted(run, start));
			}
			else if (this.withdrawn.contains(run.id())) {
				this.violations.add("taken back, but begun: " + run);
			}
		}
		outcomes.forEach((id, outcome) -> {
			boolean isEnd = outcome.equals("SUCCEEDED") || outcome.equals("FAILED");
			this.notBegun += (!runs.containsKey(id) && !this.withdrawn.contains(id)) ? 1 : 0;
			if (isEnd && !runs.containsKey(id)) {
				this.violations.add("recorded as ended, but not begun: " + starts.get(id));
			}
			if (outcome.equals("SUCCEEDED") && runs.containsKey(id) && !runs.get(id).ended()) {
				this.violations.add("recorded as ended, but has not ended: " + runs.get(id));
			}
		});
	}

	private void add(RecordedState before, RecordedState now) {
		Instant until = now.covered();
		if (!until.isAfter(before.covered())) {
			return;
		}
		boolean isStart = now.run() != null && !now.run().equals(before.run());
		long covered = count(before.covered(), until) - (isStart ? 1 : 0);
		long told = now.missed() - before.missed() + now.skipped() - before.skipped();
		if (covered != told) {
			this.violations.add("of %d fire times that were covered without a run, %d were counted: %s, then %s"
				.formatted(covered, told, before, now));
		}
		if (isStart && !until.equals(now.fireTime())) {
			this.violations.add("start covers up to a time other than its fire time: " + now);
		}
		this.coalescing += (now.missed() > before.missed()) ? 1 : 0;
		this.coalesced += now.missed() - before.missed();
		this.skipped += now.skipped() - before.skipped();
	}

	static long count(Instant after, Instant until) {
		long period = PERIOD.toMillis();
		return Math.floorDiv(until.toEpochMilli(), period) - Math.floorDiv(after.toEpochMilli(), period);
	}

	/** Return the fire times for which a first attempt began, and how many began. */
	private Map<Instant, Long> times() {
		Map<Instant, Long> times = new HashMap<>();
		this.begun.stream()
			.filter((run) -> run.attempt() == 1)
			.forEach((run) -> times.merge(run.fireTime(), 1L, Long::sum));
		return times;
	}

	long fireTimes() {
		return this.fireTimes;
	}

	/** Return the number of fire times for which a run began, each counted once. */
	long begun() {
		return times().size();
	}

	long caughtUp() {
		return this.begun.stream().filter(BegunRun::isCatchUp).count();
	}

	/** Return how many runs began for a fire time that already had one. */
	long doubled() {
		return times().values().stream().mapToLong((number) -> number - 1).sum();
	}

	/** Return how many fire times are not accounted for. */
	long missed() {
		return this.fireTimes - begun() - this.notBegun - this.coalesced - this.skipped;
	}

	/** Return how many recorded starts have no run in the history. */
	long notBegun() {
		return this.notBegun;
	}

	/** Return how many runs began but were cut short. */
	long notEnded() {
		return this.begun.stream().filter((run) -> !run.ended()).count();
	}

	int withdrawn() {
		return this.withdrawn.size();
	}

	/** Return how many fire times passed without a run, and were counted as missed. */
	long coalesced() {
		return this.coalesced;
	}

	/** Return on how many occasions missed fire times were counted. */
	long coalescing() {
		return this.coalescing;
	}

	long skipped() {
		return this.skipped;
	}

	List<Duration> late(boolean caughtUp) {
		return this.begun.stream().filter((run) -> run.isCatchUp() == caughtUp).map(BegunRun::late).toList();
	}

	/**
	 * Return the violations of a job whose runs are recorded.
	 */
	List<String> violations() {
		List<String> all = new ArrayList<>(this.violations);
		if (doubled() > 0) {
			all.add("begun twice: " + times().entrySet().stream().filter((each) -> each.getValue() > 1).toList());
		}
		if (missed() != 0) {
			all.add("%d of %d fire times are not accounted for".formatted(missed(), this.fireTimes));
		}
		return all;
	}

}
