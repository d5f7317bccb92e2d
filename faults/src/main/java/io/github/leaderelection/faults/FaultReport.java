package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;

import io.github.leaderelection.faults.FaultKind.Effect;

import org.springframework.boot.SpringBootVersion;

/**
 * Summarizes a run, in Markdown.
 */
final class FaultReport {

	private final History history;

	private final List<String> violations;

	private final Duration took;

	private final String servers;

	private final FaultSettings settings;

	private final Map<String, Healing> healings = new HashMap<>();

	FaultReport(History history, List<String> violations, Duration took, String servers, FaultSettings settings) {
		this.history = history;
		this.violations = violations;
		this.took = took;
		this.servers = servers;
		this.settings = settings;
		history.elections().forEach((election) -> this.healings.put(election, new Healing(history, election)));
	}

	String toMarkdown() {
		List<String> lines = new ArrayList<>(List.of("# Faults", ""));
		summarize(lines);
		healing(lines);
		kinds(lines);
		lines.add("");
		return String.join("\n", lines);
	}

	private void summarize(List<String> lines) {
		List<TermHistory> terms = this.history.terms();
		lines.add("`%s`".formatted(this.settings.command()));
		lines.add("");
		lines.add("| | |");
		lines.add("|---|---|");
		row(lines, "seed", this.settings.seed());
		row(lines, "duration", "%d min %d s".formatted(this.took.toMinutes(), this.took.toSecondsPart()));
		row(lines, "faults",
				"%d in %d rounds, %d of them overlapping".formatted(this.history.faults().size(),
						this.history.faults().stream().map(FaultRecord::round).distinct().count(),
						this.history.faults().stream().filter((fault) -> !this.history.isAlone(fault)).count()));
		LongSummaryStatistics ttl = this.history.lives()
			.stream()
			.mapToLong(Life::ttlNanos)
			.filter((nanos) -> nanos > 0)
			.summaryStatistics();
		row(lines, "time to live",
				"%d to %d ms, poll interval a tenth".formatted(ttl.getMin() / 1_000_000, ttl.getMax() / 1_000_000));
		row(lines, "changes were acknowledged", "%.1f %% of the time".formatted(100 * this.history.majority().share()));
		row(lines, "processes started", this.history.lives().size());
		row(lines, "terms", "%d, of which %d were released".formatted(this.history.stored().size(),
				this.history.stored().stream().filter(StoredTerm::released).count()));
		row(lines, "gated calls", terms.stream().mapToLong(TermHistory::calls).sum());
		row(lines, "violations of I1 to I5", this.violations.size());
		row(lines, "versions", "%s, Spring Boot %s, Java %s".formatted(this.servers, SpringBootVersion.getVersion(),
				System.getProperty("java.version")));
		row(lines, "machine", "%d cores".formatted(Runtime.getRuntime().availableProcessors()));
		lines.add("");
		if (!this.violations.isEmpty()) {
			this.violations.forEach((violation) -> lines.add("- " + violation));
			lines.add("");
		}
	}

	private void healing(List<String> lines) {
		Durations crashes = new Durations();
		Durations late = new Durations();
		Durations handovers = new Durations();
		Durations others = new Durations();
		for (FaultRecord fault : this.history.faults()) {
			for (Healing healing : this.healings.values()) {
				healing.afterCrash(fault)
					.filter((crash) -> crash.countedNanos() == crash.nanos())
					.ifPresent((crash) -> {
						crashes.add(crash.nanos());
						late.add(crash.nanos() - crash.boundNanos());
					});
				healing.afterHandover(fault).ifPresent(handovers::add);
				if (fault.kind().effect() == Effect.DISTURBANCE) {
					others.add(healing.afterRound(fault.round()));
				}
			}
		}
		lines.add("| milliseconds | number | min | median | p90 | p99 | max |");
		lines.add("|---|---|---|---|---|---|---|");
		row(lines, "from a crash of the leader until another one leads", crashes.count(), crashes.cells());
		row(lines, "the same, less TTL + one poll interval", late.count(), late.cells());
		row(lines, "from a resignation or SIGTERM until another one leads", handovers.count(), handovers.cells());
		row(lines, "after another fault was healed, until there is a leader", others.count(), others.cells());
		lines.add("");
	}

	private void kinds(List<String> lines) {
		lines.add("| fault | number | without a leader | alone | without a leader |");
		lines.add("|---|---|---|---|---|");
		for (FaultKind kind : this.settings.kinds()) {
			List<FaultRecord> faults = this.history.faults().stream().filter((fault) -> fault.kind() == kind).toList();
			List<FaultRecord> alone = faults.stream().filter(this.history::isAlone).toList();
			row(lines, kind, faults.size(), vacantShare(faults), alone.size(), vacantShare(alone));
		}
	}

	private String vacantShare(List<FaultRecord> faults) {
		double lasted = faults.stream().mapToLong((fault) -> fault.healed() - fault.begun()).sum();
		double vacant = faults.stream().mapToLong(this::vacantNanos).sum();
		return faults.isEmpty() ? "–"
				: "%.0f %% of %.0f s".formatted(100 * vacant / lasted / this.healings.size(), lasted / 1e9);
	}

	private long vacantNanos(FaultRecord fault) {
		return this.healings.values()
			.stream()
			.mapToLong((healing) -> healing.vacantNanos(fault.begun(), fault.healed()))
			.sum();
	}

	private static void row(List<String> lines, Object... cells) {
		lines.add("| " + String.join(" | ", Arrays.stream(cells).map(Object::toString).toList()) + " |");
	}

}
