package io.github.leaderelection.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * One {@code mongod} on the loopback address. Its port is held for it from the beginning,
 * and it keeps port and data when it is stopped or killed and started again. Connecting
 * to it while it is down is refused.
 * <p>
 * The methods may be called by any thread, one at a time.
 */
public final class MongoNode {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final int START_TRIES = 3;

	private final PortReservation port = new PortReservation();

	private final Path directory = TemporaryDirectories.create();

	private final List<String> args;

	private List<String> prefix = List.of();

	private @Nullable SupervisedProcess process;

	private boolean paused;

	private boolean closed;

	MongoNode(List<String> args) {
		this.args = List.copyOf(args);
	}

	/**
	 * The port on the loopback address.
	 * @return the port, always the same
	 */
	public int port() {
		return this.port.port();
	}

	/**
	 * The address as clients and the other members of the replica set know it.
	 * @return the loopback address and the port
	 */
	public String address() {
		return "127.0.0.1:" + port();
	}

	/**
	 * The server's log file, which is removed with the data.
	 * @return the file
	 */
	public Path log() {
		return this.directory.resolve("mongod.log");
	}

	/**
	 * The process id of the running {@code mongod}.
	 * @return the process id
	 * @throws IllegalStateException when it is not running
	 */
	public synchronized long pid() {
		return running().pid();
	}

	/**
	 * Whether the process exists; a paused one does.
	 * @return whether it does
	 */
	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Whether the process exists and is paused.
	 * @return whether it is
	 */
	public synchronized boolean isPaused() {
		return this.paused && isRunning();
	}

	/**
	 * Lets another program start the server from the next start on, such as {@code env}
	 * or {@code setpriv}. It must replace itself by the server.
	 * @param program the program and its arguments, to be followed by the server's
	 * command
	 */
	public synchronized void startBy(String... program) {
		this.prefix = List.of(program);
	}

	/**
	 * Starts the server, if it is not running, and waits until it answers. A member of a
	 * replica set may be neither primary nor secondary at that time.
	 * @throws IllegalStateException when it ends or does not answer in time; the message
	 * has the end of its log
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public void start() {
		launch();
		awaitAnswer();
	}

	/**
	 * Stops the server in the clean way (SIGTERM) and waits until it has ended. Does
	 * nothing if it is not running; resumes it first if it is paused.
	 */
	public synchronized void stop() {
		if (isPaused()) {
			resume();
		}
		shortenShutdown();
		end(SupervisedProcess::terminate);
	}

	/**
	 * Kills the server (SIGKILL) and waits until it has ended. Does nothing if it is not
	 * running.
	 */
	public synchronized void kill() {
		end(SupervisedProcess::kill);
	}

	/**
	 * Stops the process in time (SIGSTOP): its connections stay open, and nothing
	 * answers.
	 * @throws IllegalStateException when it is not running
	 */
	public synchronized void pause() {
		running().signal("STOP");
		this.paused = true;
	}

	/**
	 * Lets a paused process go on (SIGCONT).
	 * @throws IllegalStateException when it is not running
	 */
	public synchronized void resume() {
		running().signal("CONT");
		this.paused = false;
	}

	@Override
	public String toString() {
		return address();
	}

	/**
	 * Starts the process without waiting for it.
	 */
	synchronized void launch() {
		if (this.closed) {
			throw new IllegalStateException(address() + " is closed");
		}
		if (isRunning()) {
			return;
		}
		end(SupervisedProcess::kill);
		try {
			Files.createDirectories(data());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<String> command = new ArrayList<>(this.prefix);
		command.addAll(MongodBinary.locate().command(port(), data()));
		command.addAll(this.args);
		this.port.serverStarts();
		this.process = SupervisedProcess.start(command, log());
	}

	/**
	 * Waits until a launched process answers.
	 */
	void awaitAnswer() {
		for (int tries = 1; !answers(); tries++) {
			String end = endOfLog();
			if (tries == START_TRIES || !end.contains("Address already in use")) {
				throw new IllegalStateException("mongod on " + address() + " has ended:" + end);
			}
			launch();
		}
	}

	synchronized void close() {
		this.closed = true;
		kill();
		this.port.close();
		TemporaryDirectories.remove(this.directory);
	}

	private boolean answers() {
		Polling.await(START_TIMEOUT, () -> !isRunning() || ServerCommand.state(port()) != ServerState.SILENT,
				() -> "an answer from mongod on " + address() + ":" + endOfLog());
		return isRunning();
	}

	/**
	 * A member of a replica set goes on answering for 15 seconds after SIGTERM, so that
	 * clients turn away from it. Servers that do not know the parameter do not wait.
	 */
	private void shortenShutdown() {
		if (isRunning()) {
			try {
				ServerCommand.run(port(),
						BsonDocument.parse("{setParameter: 1, shutdownTimeoutMillisForSignaledShutdown: 500}"),
						Duration.ofSeconds(1));
			}
			catch (IOException ex) {
				// Then stopping takes longer.
			}
		}
	}

	private Path data() {
		return this.directory.resolve("data");
	}

	private synchronized String endOfLog() {
		return (this.process != null) ? this.process.endOfLog() : "";
	}

	private synchronized SupervisedProcess running() {
		if (this.process == null || !this.process.isAlive()) {
			throw new IllegalStateException("mongod on " + address() + " is not running");
		}
		return this.process;
	}

	private void end(Consumer<SupervisedProcess> how) {
		if (this.process != null) {
			how.accept(this.process);
			this.process = null;
			this.paused = false;
			this.port.serverEnded();
		}
	}

}
