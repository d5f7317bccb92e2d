package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * What is known about a running {@link JoinableServer}. Clients need the password in its
 * directory, which only this user can read.
 *
 * @param directory its own directory, whose name is never reused
 * @param port its port on the loopback address
 * @param supervisor the process id of its supervisor
 */
record RunningServer(Path directory, int port, long supervisor) {

	private static final String USER = "sample";

	private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

	/**
	 * Read what {@link #write} has written.
	 * @param file the file, which need not exist
	 * @return empty if the file is missing or malformed
	 * @throws IOException when the file cannot be read
	 */
	static Optional<RunningServer> read(Path file) throws IOException {
		try {
			List<String> lines = Files.readAllLines(file);
			return Optional.of(new RunningServer(file.resolveSibling(lines.get(0)), Integer.parseInt(lines.get(1)),
					Long.parseLong(lines.get(2))));
		}
		catch (NoSuchFileException | NumberFormatException | IndexOutOfBoundsException ex) {
			return Optional.empty();
		}
	}

	void write(Path file) throws IOException {
		Path complete = Files.write(this.directory.resolve("entry"), List.of(this.directory.getFileName().toString(),
				Integer.toString(this.port), Long.toString(this.supervisor)));
		Files.move(complete, file, StandardCopyOption.ATOMIC_MOVE);
	}

	/**
	 * Create password and key, and return the arguments that require authentication.
	 * @param directory the server's own directory
	 * @return the arguments
	 */
	static List<String> authorizationArgs(Path directory) {
		KeyFile.create(directory.resolve("password"));
		return List.of("--auth", "--keyFile", KeyFile.create(directory.resolve("key")).toString());
	}

	/**
	 * Return the URI for clients, with the password.
	 * @return the URI
	 * @throws IOException when the password cannot be read
	 */
	String uri() throws IOException {
		return "mongodb://%s:%s@127.0.0.1:%d/?replicaSet=%s&authSource=admin".formatted(USER, password(), this.port,
				MongoReplicaSet.NAME);
	}

	/**
	 * Return whether one of our processes has created the user with that password.
	 * @return whether it was
	 */
	boolean hasUser() {
		return Files.exists(this.directory.resolve("has-user"));
	}

	/**
	 * Create the user with that password. MongoDB lets any process on this machine create
	 * the first user: if another one was faster this fails, and the server must not be
	 * used.
	 * @throws IOException when it fails
	 */
	void makeUser() throws IOException {
		BsonDocument command = new BsonDocument("createUser", new BsonString(USER))
			.append("pwd", new BsonString(password()))
			.append("roles", new BsonArray(List.of(new BsonString("readWriteAnyDatabase"))));
		BsonDocument reply = ServerCommand.run(this.port, command, COMMAND_TIMEOUT);
		if (!ServerCommand.isOk(reply)) {
			throw new IOException("The server's first user can't be created: " + reply.toJson());
		}
		Files.createFile(this.directory.resolve("has-user"));
	}

	private String password() throws IOException {
		return Files.readString(this.directory.resolve("password"));
	}

	boolean isSupervised() {
		return isOurs(this.supervisor);
	}

	/**
	 * Return whether the server has ended, or can't start because its supervisor has.
	 * @return whether it has
	 */
	boolean hasEnded() {
		return server().map((pid) -> !isOurs(pid)).orElseGet(() -> !isSupervised());
	}

	/**
	 * Return whether the supervisor has repeated a word.
	 * @param word the word
	 * @return whether it has
	 */
	boolean hasSeen(String word) {
		return lines("seen").contains(word);
	}

	String endOfLog() {
		List<String> lines = lines("mongod.log");
		return "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
	}

	/**
	 * End the supervisor and the server if they still run, and remove the directory.
	 */
	void remove() {
		Optional<Long> server = server();
		// The supervisor first: at its own end it would only repeat what is done here.
		kill(this.supervisor);
		server.or(this::server).ifPresent(this::kill);
		TemporaryDirectories.remove(this.directory);
	}

	private Optional<Long> server() {
		try {
			return lines("pid").stream().findFirst().map(Long::valueOf);
		}
		catch (NumberFormatException ex) {
			return Optional.empty();
		}
	}

	private void kill(long pid) {
		if (isOurs(pid)) {
			ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
			Polling.await(END_TIMEOUT, () -> !isOurs(pid), () -> "end of process " + pid);
		}
	}

	/**
	 * Return whether a process exists and is ours: after a restart of the machine, for
	 * example, its id may belong to another process.
	 */
	private boolean isOurs(long pid) {
		return ProcessHandle.of(pid)
			.filter(ProcessHandle::isAlive)
			.flatMap((process) -> process.info().commandLine())
			.filter((line) -> line.contains(this.directory.toString()))
			.isPresent();
	}

	private List<String> lines(String name) {
		try {
			return Files.readAllLines(this.directory.resolve(name), StandardCharsets.ISO_8859_1);
		}
		catch (NoSuchFileException ex) {
			return List.of();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
