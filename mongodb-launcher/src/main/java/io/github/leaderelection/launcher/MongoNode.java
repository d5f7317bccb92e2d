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
 * One {@code mongod} on the loopback address. It reserves its port when it is created,
 * and keeps port and data when it is stopped or killed and started again. Connections are
 * refused while it is down.
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
	 * Return the port on the loopback address.
	 * @return the port, always the same
	 */
	public int port() {
		return this.port.port();
	}

	/**
	 * Return the address for clients and for the other members of the replica set.
	 * @return the loopback address and the port
	 */
	public String address() {
		return "127.0.0.1:" + port();
	}

	/**
	 * Return the server's log file, which is removed with the data.
	 * @return the file
	 */
	public Path log() {
		return this.directory.resolve("mongod.log");
	}

	/**
	 * Return the process id of the running {@code mongod}.
	 * @return the process id
	 * @throws IllegalStateException when it is not running
	 */
	public synchronized long pid() {
		return running().pid();
	}

	/**
	 * Return whether the process exists, paused or not.
	 * @return whether it does
	 */
	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Return whether the process exists and is paused.
	 * @return whether it is
	 */
	public synchronized boolean isPaused() {
		return this.paused && isRunning();
	}

	/**
	 * Start the server through another program from the next start on, such as
	 * {@code env} or {@code setpriv}. That program must replace itself with the server.
	 * @param program the program and its arguments, to be followed by the server's
	 * command
	 */
	public synchronized void startBy(String... program) {
		this.prefix = List.of(program);
	}

	/**
	 * Start the server, if it is not running, and wait until it answers. A member of a
	 * replica set may be neither primary nor secondary at that time.
	 * @throws IllegalStateException when it ends or does not answer in time; the message
	 * contains the end of its log
	 * @throws MongodNotFoundException when there is no {@code mongod}
	 */
	public void start() {
		launch();
		awaitAnswer();
	}

	/**
	 * Shut down the server cleanly (SIGTERM) and wait until it has ended. Do nothing if
	 * it is not running; resume it first if it is paused.
	 */
	public synchronized void stop() {
		if (isPaused()) {
			resume();
		}
		shortenShutdown();
		end(SupervisedProcess::terminate);
	}

	/**
	 * Kill the server (SIGKILL) and wait until it has ended. Do nothing if it is not
	 * running.
	 */
	public synchronized void kill() {
		end(SupervisedProcess::kill);
	}

	/**
	 * Pause the process (SIGSTOP): its connections stay open, but it does not answer.
	 * @throws IllegalStateException when it is not running
	 */
	public synchronized void pause() {
		running().signal("STOP");
		this.paused = true;
	}

	/**
	 * Let a paused process continue (SIGCONT).
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
	 * Start the process without waiting for it.
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
	 * Wait until a launched process answers.
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
	 * Shorten the 15 seconds for which a member of a replica set answers after SIGTERM
	 * while clients turn away from it. Servers without this parameter do not wait.
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
