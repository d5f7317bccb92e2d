package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The settings of a run.
 *
 * @param database where candidates keep their records
 * @param directory where the run writes its files
 * @param seed the seed of all random choices
 * @param rounds the number of rounds
 * @param atMost no round begins after this time
 * @param pairs the share of rounds with two faults at a time
 * @param kinds the faults to inject
 * @param candidateArgs further properties of the candidates
 * @param command the command that repeats the run
 */
record FaultSettings(Database database, Path directory, long seed, int rounds, Duration atMost, double pairs,
		List<FaultKind> kinds, List<String> candidateArgs, String command) {

	private static final String PREFIX = "faults.run.";

	/**
	 * Read the settings inside the JVM that was started with {@link #toOptions()}.
	 */
	static FaultSettings fromSystemProperties() {
		return new FaultSettings(Database.valueOf(property("database")), Path.of(property("directory")),
				Long.parseLong(property("seed")), Integer.parseInt(property("rounds")),
				Duration.parse(property("atMost")), Double.parseDouble(property("pairs")),
				Arrays.stream(property("kinds").split(",")).map(FaultKind::valueOf).toList(),
				property("candidateArgs").lines().toList(), property("command"));
	}

	/**
	 * Return JVM options that pass these settings to another JVM.
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
