package io.github.leaderelection.launcher;

import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("deep")
class NoOrphansTests {

	@Test
	void serversAndTheirDataEndWithAKilledJvm() throws Exception {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), ServersThatStay.class.getName())
			.redirectError(ProcessBuilder.Redirect.appendTo(new File("target", "processes.log")))
			.start();
		try (BufferedReader output = jvm.inputReader()) {
			List<ProcessHandle> servers = Stream.of(output.readLine().split(" "))
				.map((pid) -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
				.toList();
			Path directory = Path.of(output.readLine());
			assertThat(servers).hasSize(2).allMatch(ProcessHandle::isAlive);
			assertThat(directory).isDirectory();
			jvm.destroyForcibly();
			Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
				assertThat(servers).noneMatch(ProcessHandle::isAlive);
				assertThat(Files.exists(directory)).isFalse();
			});
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	/**
	 * Starts two servers, pauses one and keeps running.
	 */
	@SuppressWarnings("checkstyle:RegexpSinglelineJava")
	static final class ServersThatStay {

		private ServersThatStay() {
		}

		public static void main(String[] args) throws InterruptedException {
			MongoNode running = MongoStandalone.start().node();
			MongoNode paused = MongoStandalone.start().node();
			paused.pause();
			System.out.println(running.pid() + " " + paused.pid());
			System.out.println(running.log().getParent().getParent());
			Thread.currentThread().join();
		}

	}

}
