package io.github.leaderelection.docs;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.leaderelection.ModuleGraph;

import org.springframework.util.StringUtils;

/**
 * The messages of the library, found in its sources: joined string literals, with
 * {@code …} in place of each value.
 */
final class LoggedMessages {

	private static final Pattern LEVEL = Pattern.compile("(TRACE|DEBUG|INFO|WARN|ERROR) +(.*)");

	private static final List<String> MODULES = List.of("leader-election-core", "leader-election-mongodb",
			"leader-election-jdbc", "leader-election-spring", "leader-election-integration",
			"leader-election-autoconfigure");

	private static final String VALUE = "…";

	private final String sources;

	LoggedMessages(String sources) {
		this.sources = normalize(sources);
	}

	static LoggedMessages ofTheLibrary() {
		return new LoggedMessages(MODULES.stream()
			.flatMap((module) -> ModuleGraph.sources(module).stream())
			.collect(Collectors.joining("\n")));
	}

	private static String normalize(String sources) {
		return sources.replaceAll("\"\\s*\\+\\s*\"", "")
			.replaceAll("\\\\\\n\\s*", "")
			.replaceAll("\"\"\"\\s*", "\"")
			// The value is empty for elections, and " of locks" for locks.
			.replace("eases{}", "eases")
			.replaceAll("\\{}|%(?:\\d\\$)?[sd]", VALUE);
	}

	/**
	 * Return whether the library has the message.
	 * @param quoted a message or its beginning, after the level at which it is logged, or
	 * without one if it is not logged
	 */
	boolean contain(String quoted) {
		Matcher matcher = LEVEL.matcher(quoted);
		if (!matcher.matches()) {
			return this.sources.contains(quoted);
		}
		String level = matcher.group(1);
		String call = "(?:logger\\s*\\.(?:%1$s\\(|at%2$s\\(\\)[^;]*?\\.log\\()|at\\(logger, Level\\.%3$s\\)[^;]*?\\.log\\(|atLevel\\([^;]*?Level\\.%3$s\\)[^;]*?\\.log\\()\\s*\"%4$s"
			.formatted(level.toLowerCase(Locale.ROOT), StringUtils.capitalize(level.toLowerCase(Locale.ROOT)), level,
					Pattern.quote(matcher.group(2)));
		return Pattern.compile(call).matcher(this.sources).find();
	}

}
