package io.github.leaderelection.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process whose heap is really exhausted, several times, leads again afterwards.
 */
@Tag("deep")
class HeapExhaustionTests {

	@Test
	void leadsAgainWhenThereIsMemory(@TempDir Path directory) throws Exception {
		Path output = directory.resolve("output");
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		Process process = new ProcessBuilder(java, "-Xmx40m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("java.class.path"), ExhaustedProcess.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended; it wrote %s", tail(output)).isTrue();
			assertThat(process.exitValue()).as("exit value; it wrote %s", tail(output)).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static String tail(Path output) throws Exception {
		String text = Files.readString(output);
		return text.substring(Math.max(0, text.length() - 4_000));
	}

}
