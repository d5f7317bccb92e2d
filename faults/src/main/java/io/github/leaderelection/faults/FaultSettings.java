package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a run shall do.
 *
 * @param database where candidates keep their records
 * @param directory where it writes
 * @param seed decides what happens when
 * @param rounds how many times something goes wrong
 * @param atMost no round begins after this time
 * @param pairs the share of rounds in which two things go wrong at a time
 * @param kinds what goes wrong
 * @param candidateArgs further properties of the candidates
 * @param command what to enter to repeat it
 */
record FaultSettings(Database database, Path directory, long seed, int rounds, Duration atMost, double pairs,
		List<FaultKind> kinds, List<String> candidateArgs, String command) {

	private static final String PREFIX = "faults.run.";

	/**
	 * Read the settings in another JVM.
	 */
	static FaultSettings fromSystemProperties() {
		return new FaultSettings(Database.valueOf(property("database")), Path.of(property("directory")),
				Long.parseLong(property("seed")), Integer.parseInt(property("rounds")),
				Duration.parse(property("atMost")), Double.parseDouble(property("pairs")),
				Arrays.stream(property("kinds").split(",")).map(FaultKind::valueOf).toList(),
				property("candidateArgs").lines().toList(), property("command"));
	}

	/**
	 * Return the options that make them the settings of another JVM.
	 */
	List<String> toOptions() {
		return List.of(option("database", this.database), option("directory", this.directory),
				option("seed", this.seed), option("rounds", this.rounds), option("atMost", this.atMost),
				option("pairs", this.pairs),
				option("kinds", this.kinds.stream().map(Enum::name).collect(Collectors.joining(","))),
				option("candidateArgs", String.join("\n", this.candidateArgs)), option("command", this.command));
	}

	private static String property(String name) {
		return System.getProperty(PREFIX + name);
	}

	private static String option(String name, Object value) {
		return "-D" + PREFIX + name + "=" + value;
	}

}
