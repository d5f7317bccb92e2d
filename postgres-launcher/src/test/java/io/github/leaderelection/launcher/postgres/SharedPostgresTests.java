package io.github.leaderelection.launcher.postgres;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SharedPostgres}.
 */
class SharedPostgresTests {

	@TempDir
	private Path directory;

	@Test
	@Tag("deep")
	@DisabledOnOs(OS.WINDOWS)
	void serverStaysForOtherUsersAndEndsWithTheLast() throws Exception {
		Path users = this.directory.resolve("postgres-users");
		assertThat(new ProcessBuilder("mkfifo", users.toString()).start().waitFor()).isZero();
		String url;
		try (RandomAccessFile second = new RandomAccessFile(users.toFile(), "rw")) {
			try (RandomAccessFile first = new RandomAccessFile(users.toFile(), "rw")) {
				url = run();
				assertThat(run()).isEqualTo(url);
			}
			assertThat(run()).isEqualTo(url);
			try (Connection connection = DriverManager.getConnection(url)) {
				assertThat(connection.isValid(5)).isTrue();
			}
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> DriverManager.getConnection(url.replaceAll("&password=.*", "")));
		}
		await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(SharedPostgres.current(this.directory)));
		try (RandomAccessFile next = new RandomAccessFile(users.toFile(), "rw")) {
			assertThat(run()).isNotEqualTo(url);
		}
		await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(SharedPostgres.current(this.directory)));
		await().atMost(Duration.ofSeconds(30)).until(() -> {
			try (var files = Files.list(this.directory)) {
				return files.noneMatch((file) -> file.getFileName().toString().matches("postgres-[0-9a-f]{8}-.*"));
			}
		});
	}

	private String run() throws Exception {
		ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), SharedPostgres.class.getName(), this.directory.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT);
		builder.environment().remove("DATABASE_URL");
		Process process = builder.start();
		String url = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		assertThat(process.waitFor()).isZero();
		return url;
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:postgresql://db/shop?user=a, jdbc:postgresql://db/shop?user=a",
			"postgres://db/shop, jdbc:postgresql://db/shop?",
			"postgresql://me:s%40cr%26t@db:5433/shop, jdbc:postgresql://db:5433/shop?user=me&password=s%40cr%26t",
			"postgres://me@db/shop?ssl=true, jdbc:postgresql://db/shop?ssl=true&user=me" })
	void postgresUrlIsConvertedToJdbc(String url, String jdbc) {
		assertThat(SharedPostgres.jdbc(url)).isEqualTo(jdbc);
	}

	@Test
	void urlWithoutServerIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> SharedPostgres.jdbc("shop"))
			.withMessageContaining("must be such as postgres://");
	}

}
