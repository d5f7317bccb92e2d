package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.github.leaderelection.faults.JobFault.Kind;
import io.github.leaderelection.faults.JobFaultRun.Injected;

/**
 * Summarizes what became of the fire times of scheduled jobs, in Markdown.
 *
 * @param command the command that repeats the run
 * @param took how long it took
 * @param ahead how far the clocks were ahead
 * @param faults the injected faults
 * @param recorded the job whose runs are recorded
 * @param gated the job that is only gated
 * @param locked the job that runs under a lock of ShedLock
 * @param errorsOfLock the number of errors in taking or releasing that lock
 * @param terms the number of terms
 */
record JobFaultReport(String command, Duration took, List<Duration> ahead, List<Injected> faults, JobTally recorded,
		JobTally gated, JobTally locked, long errorsOfLock, long terms) {

	String toMarkdown() {
		List<String> lines = new ArrayList<>(List.of("`%s`".formatted(this.command), ""));
		row(lines, "", "recorded", "gated only", "ShedLock");
		lines.add("|---|---|---|---|");
		same(lines, "rounds", this.faults.size());
		same(lines, "faults",
				Arrays.stream(Kind.values())
					.map((kind) -> "%d %s"
						.formatted(this.faults.stream().filter((fault) -> fault.kind() == kind).count(), kind))
					.collect(Collectors.joining(", ")));
		same(lines, "duration", "%d min %d s".formatted(this.took.toMinutes(), this.took.toSecondsPart()));
		same(lines, "clocks ahead by",
				this.ahead.stream().map((each) -> each.toSeconds() + " s").collect(Collectors.joining(", ")));
		row(lines, "terms", this.terms, "the same", "–");
		each(lines, "fire times", JobTally::fireTimes);
		each(lines, "started, each counted once", JobTally::begun);
		recorded(lines, "of these, caught up", this.recorded.caughtUp());
		each(lines, "cut short by a crash", JobTally::notEnded);
		recorded(lines, "recorded, but crashed before the first line of the job", this.recorded.notBegun());
		recorded(lines, "passed while nobody could start them, and were counted; a later one was caught up",
				"%d on %d occasions".formatted(this.recorded.coalesced(), this.recorded.coalescing()));
		recorded(lines, "came during a run, and were counted", this.recorded.skipped());
		recorded(lines, "starts taken back, and made again", this.recorded.withdrawn());
		row(lines, "errors in taking or releasing the lock", "–", "–", this.errorsOfLock);
		each(lines, "**started again**", JobTally::doubled);
		each(lines, "**missed, and not counted as missed**", JobTally::missed);
		lines.add("");
		row(lines, "late by the leader's clock, ms", "number", "min", "median", "p90", "p99", "max");
		lines.add("|---|---|---|---|---|---|---|");
		late(lines, "on time", this.recorded.late(false));
		late(lines, "caught up", this.recorded.late(true));
		lines.add("");
		return String.join("\n", lines);
	}

	private void each(List<String> lines, String name, ToLongFunction<JobTally> count) {
		row(lines, name, count.applyAsLong(this.recorded), count.applyAsLong(this.gated),
				count.applyAsLong(this.locked));
	}

	private static void same(List<String> lines, String name, Object cell) {
		row(lines, name, cell, "the same", "the same");
	}

	private static void recorded(List<String> lines, String name, Object cell) {
		row(lines, name, cell, "–", "–");
	}

	private static void late(List<String> lines, String name, List<Duration> late) {
		Durations durations = new Durations();
		late.forEach((each) -> durations.add(each.toNanos()));
		row(lines, name, durations.count(), durations.cells());
	}

	private static void row(List<String> lines, Object... cells) {
		lines.add("| " + String.join(" | ", Arrays.stream(cells).map(Object::toString).toList()) + " |");
	}

}
