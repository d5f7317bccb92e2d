package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * A replica set of one node that several processes of one user share, and nobody else: it
 * asks for a password that is kept in the common directory. It ends with the last of its
 * users. A process that wants to use it holds the named pipe {@code users} in the common
 * directory open, for writing or both, for as long as it uses the server, and asks for
 * the URI meanwhile:
 * <ol>
 * <li>Under the lock of the directory, the running server is looked up in the file
 * {@code current}.
 * <li>If there is one, a word is sent to its supervisor through the pipe. The supervisor
 * repeats it, which proves that it had not seen the end of all users before, and that it
 * now waits for the end of this one too.
 * <li>If there is none, or its supervisor is about to end, its remains are removed and a
 * new one is started.
 * </ol>
 * The supervisor is a shell in a session of its own, so Ctrl-C in the first user's
 * terminal does not end the server for the others.
 */
final class JoinableServer {

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final int START_TRIES = 3;

	private final Path directory;

	private final Consumer<String> progress;

	/**
	 * Create a view of the server of a directory.
	 * @param directory the common directory, which has the pipe {@code users}
	 * @param progress receives messages about steps that take long
	 */
	JoinableServer(Path directory, Consumer<String> progress) {
		this.directory = directory;
		this.progress = progress;
	}

	/**
	 * Join the running server or start one. The caller must hold the pipe open.
	 * @return the URI for clients
	 * @throws IOException when the directory cannot be used
	 * @throws IllegalStateException when no server can be started
	 */
	String uri() throws IOException {
		if (!Files.exists(users()) || Files.isRegularFile(users())) {
			throw new IOException(users() + " must be a named pipe: create it with mkfifo");
		}
		OwnDirectory.require(this.directory, "set TMPDIR to a directory of your own");
		try (RandomAccessFile hold = new RandomAccessFile(users().toFile(), "rw");
				FileChannel channel = FileChannel.open(this.directory.resolve("lock"), StandardOpenOption.CREATE,
						StandardOpenOption.WRITE);
				FileLock lock = channel.lock()) {
			Optional<RunningServer> found = lock.isValid() ? RunningServer.read(current()) : Optional.empty();
			if (found.isPresent()) {
				RunningServer server = found.get();
				if (counts(server, hold) && isReady(server)) {
					this.progress.accept("Joined the MongoDB on port " + server.port());
					return server.uri();
				}
				server.remove();
			}
			return start().uri();
		}
	}

	private boolean counts(RunningServer server, RandomAccessFile hold) throws IOException {
		String word = UUID.randomUUID().toString();
		hold.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
		Polling.comesTrue(ANSWER_TIMEOUT, () -> server.hasSeen(word) || !server.isSupervised());
		return server.hasSeen(word) && server.isSupervised();
	}

	private RunningServer start() throws IOException {
		MongodBinary mongod = MongodBinary.locate(this.progress);
		this.progress.accept("Starting MongoDB");
		for (int tries = 1;; tries++) {
			try (PortReservation port = new PortReservation()) {
				RunningServer server = launch(mongod, port);
				if (isReady(server)) {
					this.progress.accept("Started MongoDB on port " + server.port());
					return server;
				}
				String log = server.endOfLog();
				server.remove();
				if (tries == START_TRIES) {
					throw new IllegalStateException("MongoDB does not start:" + log);
				}
			}
		}
	}

	private RunningServer launch(MongodBinary mongod, PortReservation port) throws IOException {
		Path own = Files.createTempDirectory(this.directory, "server-");
		Path data = Files.createDirectory(own.resolve("data"));
		List<String> command = MongoReplicaSet.memberCommand(mongod, port.port(), data,
				RunningServer.authorizationArgs(own));
		Process supervisor = Supervisor.start(users(), own, command);
		RunningServer server = new RunningServer(own, port.port(), supervisor.pid());
		server.write(current());
		port.serverStarts();
		try (var go = supervisor.outputWriter()) {
			go.write("go\n");
		}
		return server;
	}

	/**
	 * Wait until a server accepts writes from clients with its password. Complete the
	 * start if the process that launched the server was killed meanwhile.
	 */
	private boolean isReady(RunningServer server) {
		Polling.comesTrue(START_TIMEOUT,
				() -> server.hasEnded() || ServerCommand.state(server.port()) != ServerState.SILENT);
		if (server.hasEnded()) {
			return false;
		}
		try {
			if (!server.hasUser()) {
				MongoReplicaSet.initiate(List.of(server.port()));
			}
			boolean isPrimary = Polling.comesTrue(START_TIMEOUT,
					() -> server.hasEnded() || ServerCommand.state(server.port()) == ServerState.PRIMARY)
					&& !server.hasEnded();
			if (isPrimary && !server.hasUser()) {
				server.makeUser();
			}
			return isPrimary;
		}
		catch (IOException | IllegalStateException | UncheckedIOException ex) {
			// Another user may have created the first database user, and know its
			// password: the caller starts a new server.
			this.progress.accept(ex.getMessage());
			return false;
		}
	}

	private Path users() {
		return this.directory.resolve("users");
	}

	private Path current() {
		return this.directory.resolve("current");
	}

}
