package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.leaderelection.faults.JobFault.Kind;
import io.github.leaderelection.faults.JobFaultRun.Injected;

/**
 * Sums up what has become of scheduled jobs, in Markdown.
 *
 * @param command what to enter to repeat it
 * @param took how long it has taken
 * @param ahead how far ahead the clocks were
 * @param faults what has gone wrong
 * @param recorded the job whose runs are recorded
 * @param gated the job that is only gated
 * @param terms how many terms there were
 */
record JobFaultReport(String command, Duration took, List<Duration> ahead, List<Injected> faults, JobTally recorded,
		JobTally gated, long terms) {

	String toMarkdown() {
		List<String> lines = new ArrayList<>(List.of("`%s`".formatted(this.command), ""));
		row(lines, "", "recorded", "gated only");
		lines.add("|---|---|---|");
		row(lines, "rounds", this.faults.size(), "the same");
		row(lines, "faults",
				Arrays.stream(Kind.values())
					.map((kind) -> "%d %s"
						.formatted(this.faults.stream().filter((fault) -> fault.kind() == kind).count(), kind))
					.collect(Collectors.joining(", ")),
				"the same");
		row(lines, "duration", "%d min %d s".formatted(this.took.toMinutes(), this.took.toSecondsPart()), "the same");
		row(lines, "clocks ahead by",
				this.ahead.stream().map((each) -> each.toSeconds() + " s").collect(Collectors.joining(", ")),
				"the same");
		row(lines, "terms", this.terms, "the same");
		row(lines, "fire times", this.recorded.fireTimes(), this.gated.fireTimes());
		row(lines, "started", this.recorded.begun(), this.gated.begun());
		row(lines, "of these, made up for", this.recorded.madeUp(), "–");
		row(lines, "broken off by a crash", this.recorded.notEnded(), "–");
		row(lines, "recorded, and crashed before the first line of the job", this.recorded.notBegun(), "–");
		row(lines, "came while nobody could run them, and one later was made up for",
				"%d on %d occasions".formatted(this.recorded.coalesced(), this.recorded.coalescing()), "–");
		row(lines, "came during a run", this.recorded.skipped(), "–");
		row(lines, "starts taken back, and made again", this.recorded.withdrawn(), "–");
		row(lines, "**started again**", this.recorded.doubled(), this.gated.doubled());
		row(lines, "**missed without a word**", this.recorded.missed(), this.gated.missed());
		lines.add("");
		row(lines, "late by the leader's clock, ms", "number", "min", "median", "p90", "p99", "max");
		lines.add("|---|---|---|---|---|---|---|");
		late(lines, "on time", this.recorded.late(false));
		late(lines, "made up for", this.recorded.late(true));
		lines.add("");
		return String.join("\n", lines);
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
