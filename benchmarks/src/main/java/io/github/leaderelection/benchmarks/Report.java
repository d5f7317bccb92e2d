package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page of Markdown that grows. The file is rewritten after each addition, so nothing is
 * lost if the run ends early.
 */
final class Report {

	private static final Logger logger = LoggerFactory.getLogger(Report.class);

	private final Path file;

	private final String introduction;

	private final Set<Target> targets;

	private final String limits;

	private final StringBuilder text = new StringBuilder();

	private final Map<Target, Double> measured = new EnumMap<>(Target.class);

	private boolean inTable;

	private int failures;

	/**
	 * Create a report.
	 * @param file the file of the report; charts go into a directory beside it
	 * @param introduction the text before all targets
	 * @param targets the targets to compare with, which may be none
	 * @param limits why some targets are hard to meet, or empty
	 */
	Report(Path file, String introduction, Set<Target> targets, String limits) {
		this.file = file;
		this.introduction = introduction.strip();
		this.targets = targets;
		this.limits = limits;
	}

	synchronized void title(String title) {
		block("## " + title);
	}

	synchronized void paragraph(String paragraph) {
		block(paragraph.strip());
	}

	synchronized void table(List<String> titles, List<List<String>> rows) {
		table(titles);
		rows.forEach(this::row);
	}

	/**
	 * Begin a table.
	 */
	synchronized void table(List<String> titles) {
		block(table(titles, "").stripTrailing());
	}

	/**
	 * Add a row to the table that was begun last.
	 */
	synchronized void row(List<String> cells) {
		if (!this.inTable) {
			throw new IllegalStateException("There is no table to add to");
		}
		logger.info("{}", cells);
		this.text.append(line(cells));
		write();
	}

	/**
	 * Measure, and add a row. If that fails, the row says so.
	 * @param head the first cells of the row
	 * @param cells measures and returns the other cells
	 * @throws InterruptedException if the calling thread was interrupted
	 */
	void row(String head, Callable<List<String>> cells) throws InterruptedException {
		List<String> measured;
		try {
			measured = cells.call();
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			measured = List.of(failure(head, ex));
		}
		row(List.of(head, String.join(" | ", measured)));
	}

	/**
	 * Record a value to compare with its target.
	 */
	synchronized void measured(Target target, double value) {
		this.measured.put(target, value);
		write();
	}

	/**
	 * Record one of several values, of which the greatest is compared with the target.
	 */
	synchronized void measuredMost(Target target, double value) {
		this.measured.merge(target, value, Math::max);
		write();
	}

	/**
	 * Add a chart.
	 * @param name the name of its file
	 * @param chart the chart
	 */
	synchronized void chart(String name, Chart chart) {
		String directory = this.file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
		try {
			Path charts = Files.createDirectories(this.file.resolveSibling(directory));
			Files.writeString(charts.resolve(name + ".svg"), chart.svg());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		block("![%s](%s/%s.svg)".formatted(chart.title(), directory, name));
	}

	/**
	 * Report that something could not be measured.
	 */
	synchronized void failed(String what, Exception problem) {
		block("**%s %s**".formatted(what, failure(what, problem)));
	}

	synchronized int failures() {
		return this.failures;
	}

	private synchronized String failure(String what, Exception problem) {
		logger.error("Failed: {}", what, problem);
		this.failures++;
		return "failed: " + problem.toString().lines().findFirst().orElse("").replace('|', '/');
	}

	private void block(String block) {
		this.text.append(this.inTable ? "\n" : "").append(block).append("\n");
		this.inTable = block.startsWith("| ");
		this.text.append(this.inTable ? "" : "\n");
		write();
	}

	private static String table(List<String> titles, String rows) {
		return line(titles) + line(titles.stream().map((title) -> "---").toList()) + rows;
	}

	private static String line(List<String> cells) {
		return "| " + String.join(" | ", cells) + " |\n";
	}

	private String targets() {
		StringBuilder rows = new StringBuilder();
		for (Target target : this.targets) {
			rows.append(line(target.row(this.measured.get(target))));
		}
		return table(Target.TITLES, rows.toString());
	}

	private void write() {
		String page = this.introduction + "\n\n" + (this.targets.isEmpty() ? "" : "## Targets\n\n" + targets() + "\n")
				+ (this.limits.isEmpty() ? "" : this.limits + "\n") + this.text.toString().strip() + "\n";
		try {
			Files.writeString(this.file, page);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
