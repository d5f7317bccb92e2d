package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Real candidates on real servers, through crashes, pauses, partitions, wrong clocks,
 * slow disks and locked rows. Takes about two minutes per database. With the Maven
 * profile {@code faults}, {@code database} selects one, {@code rounds} sets the number of
 * rounds, {@code kinds} limits the faults, and {@code seed} sets the seed. Skipped where
 * it can't run, unless {@code faults.required} is set.
 */
@Tag("deep")
class FaultInjectionIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(FaultInjectionIntegrationTests.class);

	private static final Map<Database, Duration> LIMITS = Map.of(Database.MONGODB, Duration.ofSeconds(55),
			Database.POSTGRESQL, Duration.ofSeconds(35));

	private static final Path DIRECTORY = Path.of("target", "faults").toAbsolutePath();

	@BeforeEach
	void requirePrivileges() {
		Optional<String> obstacle = FaultRun.obstacle();
		if (Boolean.getBoolean("faults.required")) {
			obstacle.ifPresent((reason) -> fail(reason));
		}
		assumeTrue(obstacle.isEmpty(), () -> "Faults are left out: " + obstacle.orElseThrow());
	}

	static Stream<Database> databases() {
		String chosen = System.getProperty("faults.database");
		return (chosen != null) ? Stream.of(Database.valueOf(chosen.toUpperCase(Locale.ROOT)))
				: Stream.of(Database.values());
	}

	@ParameterizedTest
	@MethodSource("databases")
	void invariantsHoldThroughFaults(Database database) throws Exception {
		Integer rounds = Integer.getInteger("faults.rounds");
		boolean isLong = rounds != null;
		long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
		String chosen = System.getProperty("kinds");
		List<FaultKind> kinds = (chosen != null) ? Stream.of(chosen.split(",")).map(FaultKind::valueOf).toList()
				: database.kinds();
		long minutes = Long.getLong("minutes", 1_440);
		String command = isLong
				? "./mvnw -Pfaults verify -Ddatabase=%s -Drounds=%d -Dminutes=%d%s -Dseed=%d -pl faults -am"
					.formatted(directory(database), rounds, minutes, (chosen != null) ? " -Dkinds=" + chosen : "", seed)
				: "./mvnw -Pdeep verify -Dseed=%d".formatted(seed);
		FaultRun run = new FaultRun(new FaultSettings(database, DIRECTORY.resolve(directory(database)), seed,
				isLong ? rounds : kinds.size(), isLong ? Duration.ofMinutes(minutes) : LIMITS.get(database),
				isLong ? 0.25 : 0.8, kinds, List.of(), command));
		int exit = run.run();
		logger.info("{}", run.report());
		assertThat(exit).as("seed %d, see %s: %s", seed, DIRECTORY, run.report()).isZero();
		run.discardHistories();
	}

	/**
	 * A candidate that breaks S4 must be detected, or the run above proves nothing. One
	 * round may not be enough: a leader that learns in time that it was replaced stops at
	 * once. The check is the same for each database, so this uses the one that starts
	 * fastest.
	 */
	@Test
	void prematureTakeoverIsDetected() throws Exception {
		List<FaultKind> kinds = List.of(FaultKind.LEADER_REQUESTS_LOST);
		boolean found = false;
		for (int seed = 1; !found && seed <= 10; seed++) {
			FaultRun run = new FaultRun(new FaultSettings(Database.POSTGRESQL, DIRECTORY.resolve("impatient-" + seed),
					seed, 1, Duration.ofSeconds(60), 0, kinds, List.of("--faults.impatient=true"), "-"));
			found = run.run() == 1 && run.report().contains("- I1: ");
			run.discardHistories();
		}
		assertThat(found).isTrue();
	}

	private static String directory(Database database) {
		return database.name().toLowerCase(Locale.ROOT);
	}

}
