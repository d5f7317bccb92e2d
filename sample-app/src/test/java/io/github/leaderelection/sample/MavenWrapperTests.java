package io.github.leaderelection.sample;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for {@code mvnw}: it installs a fetched Maven only if its hash is the expected
 * one, and releases are built by that Maven.
 */
@DisabledOnOs(OS.WINDOWS)
class MavenWrapperTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	private static final String NAME = "apache-maven-3.9.16";

	private static final String WRONG = "0".repeat(64);

	private static final List<String> TOOLS = List.of("uname", "dirname", "basename", "tr", "mktemp", "mkdir", "rm",
			"mv", "cat", "ls", "sha256sum");

	/** Called with {@code --quiet <URL> -O <file>}. */
	private static final String WGET = "#!/bin/sh\nexec /bin/cp \"${2#file://}\" \"$4\"\n";

	@TempDir
	private Path directory;

	@BeforeEach
	void copy() throws IOException {
		Files.createDirectories(this.directory.resolve(".mvn/wrapper"));
		Files.copy(ROOT.resolve("mvnw"), this.directory.resolve("mvnw"));
		Path bin = Files.createDirectories(this.directory.resolve("tools"));
		for (String tool : TOOLS) {
			provide(bin, tool);
		}
		Files.writeString(bin.resolve("wget"), WGET);
		Files.setPosixFilePermissions(bin.resolve("wget"), PosixFilePermissions.fromString("rwx------"));
	}

	@Test
	void theHashesOfTheDistributionAreKnown() throws IOException {
		Properties properties = new Properties();
		try (InputStream in = Files.newInputStream(ROOT.resolve(".mvn/wrapper/maven-wrapper.properties"))) {
			properties.load(in);
		}
		assertThat(properties.getProperty("distributionUrl")).startsWith("https://").endsWith(NAME + "-bin.zip");
		for (String sum : List.of("distributionSha256Sum", "distributionTarSha256Sum")) {
			assertThat(properties.getProperty(sum)).as(sum).matches("[0-9a-f]{64}");
		}
	}

	@Test
	void aDistributionWithAnotherHashIsNotInstalled() throws Exception {
		provide(this.directory.resolve("tools"), "unzip");
		Path zip = zip();
		assertRefused(run("distributionSha256Sum=" + WRONG));
		assertThat(run("distributionSha256Sum=" + sum(zip))).isEqualTo("the fetched Maven runs verify\n");
	}

	@Test
	void theArchiveForTarHasAHashOfItsOwn() throws Exception {
		for (String tool : List.of("tar", "gzip")) {
			provide(this.directory.resolve("tools"), tool);
		}
		Path zip = zip();
		Path archive = tar();
		assertRefused(run("distributionSha256Sum=" + sum(zip)));
		assertRefused(run("distributionSha256Sum=" + sum(zip), "distributionTarSha256Sum=" + WRONG));
		assertRefused(run("distributionSha256Sum=" + sum(zip), "distributionTarSha256Sum=" + sum(zip)));
		assertThat(run("distributionSha256Sum=" + WRONG, "distributionTarSha256Sum=" + sum(archive)))
			.isEqualTo("the fetched Maven runs verify\n");
	}

	@Test
	void workflowsPinMavenAndTheirActions() throws IOException {
		for (String name : List.of("matrix.yml", "release.yml")) {
			String workflow = workflow(name);
			assertThat(workflow).as(name).contains("\nenv:\n", "\n  MVNW_IGNORE_INSTALLED: \"true\"\n");
			assertThat(workflow.lines().filter((line) -> line.contains("uses:"))).as(name)
				.isNotEmpty()
				.allSatisfy((line) -> assertThat(line).containsPattern("@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+$"));
		}
	}

	@Test
	void noJobThatHasSecretsRunsTheBuild() throws IOException {
		String workflow = workflow("release.yml");
		assertThat(workflow).contains("run: git merge-base --is-ancestor HEAD origin/main");
		List<String> jobs = List.of(workflow.substring(workflow.indexOf("\njobs:")).split("\n {2}(?=\\w)"));
		assertThat(jobs).filteredOn((job) -> job.contains("secrets."))
			.singleElement(InstanceOfAssertFactories.STRING)
			.contains("gpg ")
			.doesNotContain("mvnw", "checkout", "src/");
	}

	private static String workflow(String name) throws IOException {
		return Files.readString(ROOT.resolve(".github/workflows").resolve(name));
	}

	private void assertRefused(String output) {
		assertThat(output).contains("Failed to validate Maven distribution SHA-256").doesNotContain("runs verify");
		assertThat(this.directory.resolve("home/wrapper/dists").resolve(NAME)).isEmptyDirectory();
	}

	private String run(String... sums) throws Exception {
		Files.writeString(this.directory.resolve(".mvn/wrapper/maven-wrapper.properties"),
				"distributionType=only-script\ndistributionUrl=" + this.directory.resolve(NAME + "-bin.zip").toUri()
						+ "\n" + String.join("\n", sums) + "\n");
		ProcessBuilder builder = new ProcessBuilder("sh", this.directory.resolve("mvnw").toString(), "verify")
			.redirectErrorStream(true);
		builder.environment().put("PATH", this.directory.resolve("tools").toString());
		builder.environment().put("MAVEN_USER_HOME", this.directory.resolve("home").toString());
		builder.environment().put("MVNW_IGNORE_INSTALLED", "true");
		Process process = builder.start();
		process.getOutputStream().close();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor() == 0).as(output).isEqualTo(output.contains("runs verify"));
		return output;
	}

	private Path zip() throws IOException {
		Path zip = this.directory.resolve(NAME + "-bin.zip");
		Path program = program();
		URI uri = URI.create("jar:" + zip.toUri());
		try (FileSystem entries = FileSystems.newFileSystem(uri,
				Map.of("create", "true", "enablePosixFileAttributes", "true"))) {
			Path entry = entries.getPath(NAME, "bin", "mvn");
			Files.createDirectories(entry.getParent());
			Files.copy(program, entry);
			Files.setPosixFilePermissions(entry, Files.getPosixFilePermissions(program));
		}
		return zip;
	}

	private Path tar() throws Exception {
		program();
		Path archive = this.directory.resolve(NAME + "-bin.tar.gz");
		Process tar = new ProcessBuilder("tar", "czf", archive.toString(), NAME).directory(this.directory.toFile())
			.start();
		assertThat(tar.waitFor()).isZero();
		return archive;
	}

	private Path program() throws IOException {
		Path program = this.directory.resolve(NAME + "/bin/mvn");
		Files.createDirectories(program.getParent());
		Files.writeString(program, "#!/bin/sh\necho the fetched Maven runs \"$@\"\n");
		return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

	private static void provide(Path bin, String tool) throws IOException {
		for (String path : System.getenv("PATH").split(":")) {
			Path file = Path.of(path, tool);
			if (Files.isExecutable(file)) {
				Files.writeString(bin.resolve(tool), "#!/bin/sh\nexec '" + file + "' \"$@\"\n");
				Files.setPosixFilePermissions(bin.resolve(tool), PosixFilePermissions.fromString("rwx------"));
				return;
			}
		}
		assumeTrue(false, "There is no " + tool);
	}

	private static String sum(Path file) throws Exception {
		return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
	}

}
