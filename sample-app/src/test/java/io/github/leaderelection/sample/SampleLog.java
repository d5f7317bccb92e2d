package io.github.leaderelection.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log of one process, in a {@link #PATTERN} that this class can parse.
 */
final class SampleLog {

	static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %p %logger - %m%n";

	private static final Pattern ENTRY = Pattern.compile("(\\d{4}-\\S+) ([A-Z]+) (\\S+) - (.*)");

	private final Path file;

	SampleLog(Path file) {
		this.file = file;
	}

	List<Entry> entries() {
		List<Entry> entries = new ArrayList<>();
		for (String line : lines()) {
			Matcher matcher = ENTRY.matcher(line);
			if (matcher.matches()) {
				entries.add(new Entry(OffsetDateTime.parse(matcher.group(1)).toInstant(), matcher.group(2),
						matcher.group(3), matcher.group(4), new ArrayList<>()));
			}
			else if (!entries.isEmpty()) {
				entries.get(entries.size() - 1).more().add(line);
			}
		}
		return entries;
	}

	List<Entry> containing(String text) {
		return entries().stream().filter((entry) -> entry.message().contains(text)).toList();
	}

	/**
	 * Return the errors and the stack traces.
	 */
	List<Entry> alarms() {
		return entries().stream().filter(Entry::isAlarm).toList();
	}

	/**
	 * Return the errors and the stack traces that come from this project.
	 */
	List<Entry> ownAlarms() {
		return alarms().stream().filter((entry) -> entry.logger().startsWith("io.github.leaderelection")).toList();
	}

	private List<String> lines() {
		try {
			return Files.readAllLines(this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return this.file.toString();
	}

	/**
	 * One entry.
	 *
	 * @param time when it was logged
	 * @param level the level
	 * @param logger the name of the logger
	 * @param message the first line of the message
	 * @param more the other lines
	 */
	record Entry(Instant time, String level, String logger, String message, List<String> more) {

		boolean isAlarm() {
			return this.level.equals("ERROR") || this.more.stream().anyMatch((line) -> line.startsWith("\tat "));
		}

	}

}
