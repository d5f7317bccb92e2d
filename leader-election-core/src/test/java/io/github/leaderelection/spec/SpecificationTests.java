package io.github.leaderelection.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each specification in {@code docs/internals/spec} holds in all states that TLC can
 * reach, and breaking a rule violates a property, as the page there says.
 */
@Tag("deep")
class SpecificationTests {

	private static final Path SPEC = Path.of("..", "docs", "internals", "spec");

	private static final String MODULE = "Sessions.tla";

	private static final Pattern SOUND_ROW = Pattern.compile("^\\| \\[`(\\w+)\\.cfg`].* \\| ([\\d,]+) \\|$",
			Pattern.MULTILINE);

	private static final Pattern FLAW_ROW = Pattern
		.compile("^\\| `(\\w+)` \\| [LRS\\d, ]+ \\| (\\w+) \\| `(\\w+)` \\| .* \\|$", Pattern.MULTILINE);

	private static final Pattern PROPERTY = Pattern.compile("^(?:INVARIANT|PROPERTY) (\\w+)\\n", Pattern.MULTILINE);

	private static final Pattern FLAW = Pattern.compile("Flaw (?:=|#) \"(\\w+)\"");

	private static final Pattern ACTION = Pattern.compile("^<(\\w+) line .*>: \\d+:(\\d+)$", Pattern.MULTILINE);

	/**
	 * Other configurations take all their actions. Counting them would double their time.
	 */
	private static final Set<String> NOT_COUNTED = Set.of("Clocks", "Changes", "LostAndHealing");

	@TempDir
	private static Path temporary;

	/** The output of TLC for the specification as it is, by configuration. */
	private static final Map<String, Future<String>> SOUND = new HashMap<>();

	/** The output of TLC with a rule broken, by flaw and property. */
	private static final Map<String, Future<String>> BROKEN = new HashMap<>();

	private static ExecutorService runs;

	/** Start all checks, each of which takes one processor. */
	@BeforeAll
	static void check() throws IOException {
		ModelChecker checker = new ModelChecker(temporary, modules());
		runs = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
		for (String name : configurations()) {
			String configuration = configuration(name);
			List<String> counting = NOT_COUNTED.contains(name) ? List.of() : List.of("-coverage", "60");
			SOUND.put(name, runs.submit(() -> checker.check(module(name), name, configuration, List.of(), counting)));
		}
		// These checks are short: optimizing compilation costs more than it gains.
		List<String> ofJava = List.of("-XX:TieredStopAtLevel=1");
		for (MatchResult row : rows(FLAW_ROW).toList()) {
			String configuration = broken(configuration(row.group(2)), row.group(1), row.group(3));
			BROKEN.put(name(row), runs
				.submit(() -> checker.check(module(row.group(2)), name(row), configuration, ofJava, List.of())));
		}
	}

	@AfterAll
	static void stop() {
		runs.shutdownNow();
	}

	@TestFactory
	Stream<DynamicTest> specificationHoldsInEveryState() throws IOException {
		return rows(SOUND_ROW).map((row) -> DynamicTest.dynamicTest(row.group(1), () -> {
			assertThat(SOUND.get(row.group(1)).get()).contains("Model checking completed. No error has been found.")
				.contains(
						" %s distinct states found, 0 states left on queue.".formatted(row.group(2).replace(",", "")));
		}));
	}

	@Test
	void everyConfigurationIsOnThePage() throws IOException {
		assertThat(rows(SOUND_ROW).map((row) -> row.group(1))).containsExactlyInAnyOrderElementsOf(configurations());
	}

	@Test
	void everyActionIsTaken() throws ExecutionException, InterruptedException {
		Set<String> actions = new TreeSet<>();
		Set<String> taken = new TreeSet<>();
		for (Future<String> output : SOUND.values()) {
			ACTION.matcher(output.get()).results().forEach((action) -> {
				actions.add(action.group(1));
				if (!action.group(2).equals("0")) {
					taken.add(action.group(1));
				}
			});
		}
		assertThat(actions).contains("Tick", "Take", "GiveUpTake", "Crash", "RaiseFloor", "Remove");
		assertThat(taken).isEqualTo(actions);
	}

	@TestFactory
	Stream<DynamicTest> brokenRuleIsDetected() throws IOException {
		return rows(FLAW_ROW).map((row) -> DynamicTest.dynamicTest(name(row), () -> {
			assertThat(BROKEN.get(name(row)).get())
				.containsPattern(
						"Error: (Invariant|Action property) %s is violated|Error: Temporal properties were violated"
							.formatted(row.group(3)))
				.contains("State 2: <");
		}));
	}

	private static String name(MatchResult row) {
		return row.group(1) + "-refutes-" + row.group(3);
	}

	@Test
	void everyPropertyCanBeRefuted() throws IOException {
		Set<String> properties = new TreeSet<>();
		for (String configuration : configurations()) {
			properties.addAll(found(PROPERTY, configuration(configuration)));
		}
		assertThat(rows(FLAW_ROW).map((row) -> row.group(3))).containsAll(properties);
	}

	@Test
	void everyFlawIsOnThePage() throws IOException {
		for (Path module : modules()) {
			assertThat(rows(FLAW_ROW).map((row) -> row.group(1))).containsAll(found(FLAW, Files.readString(module)));
		}
	}

	private static Set<String> found(Pattern pattern, String text) {
		Set<String> found = new TreeSet<>();
		pattern.matcher(text).results().forEach((each) -> found.add(each.group(1)));
		assertThat(found).isNotEmpty();
		return found;
	}

	/** Break one rule, and check only the property that this should violate. */
	private static String broken(String configuration, String flaw, String property) {
		String broken = PROPERTY.matcher(configuration)
			.replaceAll((each) -> each.group(1).equals(property) ? each.group() : "");
		assertThat(broken).contains(" " + property + "\n").contains("Flaw = \"none\"");
		if (broken.contains("Drift = 1")) {
			// One session each is enough for the violation, with a tenth of the states.
			broken = broken.replace("Session = 2", "Session = 1");
		}
		return broken.replace("Flaw = \"none\"", "Flaw = \"" + flaw + "\"");
	}

	private static List<String> configurations() throws IOException {
		return files(".cfg").stream().map((file) -> file.getFileName().toString().replace(".cfg", "")).toList();
	}

	private static List<Path> modules() throws IOException {
		return files(".tla");
	}

	private static List<Path> files(String ending) throws IOException {
		try (Stream<Path> files = Files.list(SPEC)) {
			return files.filter((file) -> file.toString().endsWith(ending)).sorted().toList();
		}
	}

	/** Return the module of a configuration: the one with its name, if there is one. */
	private static String module(String configuration) {
		String own = configuration + ".tla";
		return Files.exists(SPEC.resolve(own)) ? own : MODULE;
	}

	private static String configuration(String name) throws IOException {
		return Files.readString(SPEC.resolve(name + ".cfg"));
	}

	private static Stream<MatchResult> rows(Pattern row) throws IOException {
		return row.matcher(Files.readString(SPEC.resolve("README.md"))).results();
	}

}
