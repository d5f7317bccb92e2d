package io.github.leaderelection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Named;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Plays time lines, which tell in plain words what processes do, from the code blocks
 * {@code timeline} of Markdown pages. Each line is a time and what happens then, in the
 * written order; a line without a time happens at the time of the line before. A process
 * is a capital letter. A subclass defines what can be written, and what it means.
 *
 * @param <P> the type of a process
 */
public abstract class PlainTimeline<P> {

	protected static final String DURATION = "(-?[\\d.]+ (?:ms|s|min|h))";

	private static final Pattern BLOCK = Pattern.compile("([^\n]+?):?\n\n```timeline\n(.*?)```", Pattern.DOTALL);

	/** What can be written after the name of a process, and what it means. */
	private final Map<Pattern, BiConsumer<P, MatchResult>> rules = new LinkedHashMap<>();

	private final CharSequence log;

	/** The length of the log before the last line that is not about the log. */
	private int logged;

	/** Create a time line of processes that write this log. */
	protected PlainTimeline(CharSequence log) {
		this.log = log;
		rule("logs nothing", (process, matched) -> assertThat(newLines()).isEmpty());
		rule("logs ([A-Z]+) (.*)",
				(process, matched) -> assertThat(newLines())
					.filteredOn((line) -> line.startsWith(matched.group(1)) && line.contains(" - " + matched.group(2)))
					.as("lines of " + newLines())
					.hasSize(1));
	}

	/** Return the time lines of a page, each named by the text in front of it. */
	public static List<Named<String>> of(Path page) throws IOException {
		Matcher matcher = BLOCK.matcher(Files.readString(page));
		List<Named<String>> timelines = new ArrayList<>();
		while (matcher.find()) {
			timelines.add(Named.of(matcher.group(1), matcher.group(2)));
		}
		return timelines;
	}

	/** Return the process with that name, creating it if there is none. */
	protected abstract P process(String name);

	/** Let time pass until the given time. */
	protected abstract void passUntil(String time);

	/** End a line: everything that is written in it has happened. */
	protected abstract void endLine();

	/** Apply a line that precedes the first time, and return whether it is one. */
	protected boolean prepare(String subject, String description) {
		return false;
	}

	protected final void rule(String written, BiConsumer<P, MatchResult> meaning) {
		this.rules.put(Pattern.compile(written), meaning);
	}

	public final void play(String timeline) {
		timeline.lines().filter((line) -> !line.isBlank()).forEach((line) -> {
			String[] parts = line.split("\\s{2,}", 2);
			if (!prepare(parts[0], parts[1])) {
				happen(parts[0], parts[1]);
			}
		});
	}

	private void happen(String time, String line) {
		boolean isLog = line.matches("[A-Z] logs .*");
		if (!isLog) {
			this.logged = this.log.length();
		}
		if (!time.isEmpty()) {
			passUntil(time);
		}
		P process = line.matches("[A-Z] .*") ? process(line.substring(0, 1)) : null;
		String actions = (process != null) ? line.substring(2) : line;
		// Text after a colon is not split.
		boolean isOne = isLog || line.contains(": ") || process == null;
		for (String action : isOne ? new String[] { actions } : actions.split(", and |, ")) {
			apply(process, action);
		}
		endLine();
	}

	private void apply(P process, String action) {
		for (Pattern written : this.rules.keySet()) {
			Matcher matcher = written.matcher(action);
			if (matcher.matches()) {
				this.rules.get(written).accept(process, matcher);
				return;
			}
		}
		throw new AssertionError("No rule says what this means: " + action);
	}

	private List<String> newLines() {
		return this.log.subSequence(this.logged, this.log.length())
			.toString()
			.lines()
			.filter((line) -> line.contains(" - ") && !line.startsWith("DEBUG"))
			.toList();
	}

	protected static Duration duration(String text) {
		String[] parts = text.split(" ");
		long unit = switch (parts[1]) {
			case "ms" -> 1;
			case "s" -> 1000;
			case "min" -> 60_000;
			default -> 3_600_000;
		};
		return Duration.ofMillis(Math.round(Double.parseDouble(parts[0]) * unit));
	}

}
