package io.github.leaderelection.engine;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.engine.ExitingProcess.Way;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of processes that exit from inside the work that closing would wait for.
 */
class ExitFromInsideTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@EnumSource(Way.class)
	void endsWithoutWaitingForTheWorkThatExits(Way way) throws Exception {
		Path output = this.directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), ExitingProcess.class.getName(), way.name())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			// Otherwise a day: the drain timeout.
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).isEqualTo(ExitingProcess.EXIT);
		assertThat(output).content()
			.contains("Closed; holder: application@")
			.containsOnlyOnce("Leader election is closed from inside work under 'x', term 1");
	}

}
