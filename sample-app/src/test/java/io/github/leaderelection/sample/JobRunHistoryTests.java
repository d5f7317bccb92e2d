package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobRunHistory}: it must find violations.
 */
class JobRunHistoryTests {

	/** Runs are {@code term candidate from-to}; a run that was cut off has no end. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			1 a 0-10, 1 a 20-30, 2 b 30-40, 4 a 50-60 |
			1 a 0-, 2 b 30-40                         |
			1 a 0-10, 1 a 5-15                        |
			2 a 0-10, 1 b 20-30                       | The term went back
			2 a 0-, 3 b 5-, 2 a 20-                   | The term went back
			1 a 0-10, 1 b 20-30                       | Two candidates in one term
			1 a 0-10, 2 b 9-30                        | Overlap of two terms
			1 a 0-100, 1 a 10-20, 2 b 50-60           | Overlap of two terms
			1 a 10-5                                  | Ended before it began
			""")
	void violationIsFound(String runs, String violation) {
		List<String> found = violations(
				Arrays.stream(runs.split(", ")).map(JobRunHistoryTests::run).toArray(Run[]::new));
		if (violation != null) {
			assertThat(found).singleElement().asString().startsWith(violation);
		}
		else {
			assertThat(found).isEmpty();
		}
	}

	@Test
	void keepsElectionsApart() {
		Run other = new Run(null, "job", "other", 7, "b", Instant.ofEpochMilli(5), Instant.ofEpochMilli(15), null,
				null);
		assertThat(violations(run("1 a 0-10"), other, run("1 a 20-30"))).isEmpty();
	}

	private static List<String> violations(Run... runs) {
		return new JobRunHistory(List.of(runs)).violations();
	}

	private static Run run(String text) {
		String[] parts = text.split("[ -]");
		return new Run(null, "job", "election", Long.parseLong(parts[0]), parts[1],
				Instant.ofEpochMilli(Long.parseLong(parts[2])),
				(parts.length > 3) ? Instant.ofEpochMilli(Long.parseLong(parts[3])) : null, null, null);
	}

}
