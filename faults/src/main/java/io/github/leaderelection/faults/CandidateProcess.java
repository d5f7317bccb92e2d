package io.github.leaderelection.faults;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.launcher.SupervisedProcess;
import org.awaitility.Awaitility;

/**
 * A candidate in its own JVM, which can be restarted. Each life, from start to end, has
 * its own history file.
 */
final class CandidateProcess implements AutoCloseable {

	private static final int TAIL = 4096;

	private static final String ERROR = " ERROR io.github.leaderelection.";

	private static final long FRESH_NANOS = 200_000_000;

	private final String name;

	private final int group;

	private final Path directory;

	private final List<String> prefix;

	private final List<String> args;

	private int lives;

	private SupervisedProcess process;

	private Path history;

	/**
	 * Create a candidate without starting it.
	 * @param prefix the command that launches the JVM, with its arguments
	 * @param args properties of the application
	 */
	CandidateProcess(String name, int group, Path directory, List<String> prefix, List<String> args) {
		this.name = name;
		this.group = group;
		this.directory = directory;
		this.prefix = List.copyOf(prefix);
		this.args = List.copyOf(args);
	}

	int group() {
		return this.group;
	}

	/**
	 * Start the process, without waiting for it.
	 */
	void launch() {
		this.lives++;
		this.history = this.directory.resolve("%s-%03d".formatted(this.name, this.lives) + History.EXTENSION);
		List<String> command = new ArrayList<>(this.prefix);
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-cp",
				System.getProperty("java.class.path"), FaultCandidate.class.getName()));
		command.addAll(this.args);
		command.addAll(List.of("--faults.history=" + this.history, "--spring.application.name=" + this.name));
		this.process = SupervisedProcess.start(command, log(this.lives));
	}

	/**
	 * Wait until the application has written its first line.
	 */
	void awaitStart() {
		Awaitility.await("start of " + this.name + ", see " + this.directory)
			.atMost(Duration.ofSeconds(60))
			.until(() -> Files.exists(this.history) && Files.size(this.history) > 0);
	}

	/**
	 * Kill the process and start the next one.
	 */
	void restart() {
		this.process.kill();
		launch();
		awaitStart();
	}

	void kill() {
		this.process.kill();
	}

	void pause() {
		this.process.signal("STOP");
	}

	void resume() {
		this.process.signal("CONT");
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Send SIGTERM.
	 */
	void terminate() {
		this.process.signal("TERM");
	}

	void awaitEnd() {
		Awaitility.await("end of " + this.name + ", see " + this.directory)
			.atMost(Duration.ofSeconds(60))
			.until(() -> !isAlive());
	}

	void resign(String election) {
		create(Observer.resignation(this.history, election));
	}

	/**
	 * Let other work in the process take all connections of its pool.
	 */
	void exhaustPool() {
		create(PoolUser.request(this.history));
	}

	/**
	 * Let that work return the connections.
	 */
	void releasePool() {
		try {
			Files.deleteIfExists(PoolUser.request(this.history));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void create(Path request) {
		try {
			Files.createFile(request);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return whether the candidate has reported within the last 200 ms that it leads.
	 */
	boolean leads(String election) {
		List<String> lines = lastLines();
		for (int i = lines.size() - 1; i >= 0; i--) {
			String[] words = lines.get(i).split(" ", -1);
			if (words.length > 3 && words[2].equals(election)) {
				switch (words[1]) {
					case "held", "call" -> {
						return System.nanoTime() - Long.parseLong(words[0]) < FRESH_NANOS;
					}
					case "ended" -> {
						return false;
					}
					default -> {
						// Keep looking.
					}
				}
			}
		}
		return false;
	}

	private List<String> lastLines() {
		File file = this.history.toFile();
		try (RandomAccessFile opened = new RandomAccessFile(file, "r")) {
			long from = Math.max(0, opened.length() - TAIL);
			byte[] bytes = new byte[(int) (opened.length() - from)];
			opened.seek(from);
			opened.readFully(bytes);
			List<String> lines = new ArrayList<>(new String(bytes, StandardCharsets.UTF_8).lines().toList());
			if (from > 0) {
				lines.remove(0);
			}
			return lines;
		}
		catch (IOException ex) {
			return List.of();
		}
	}

	/**
	 * Return the errors that the library itself has logged. No injected fault justifies
	 * an error.
	 */
	List<String> errors() {
		List<String> errors = new ArrayList<>();
		for (int life = 1; life <= this.lives; life++) {
			try (Stream<String> lines = Files.lines(log(life), StandardCharsets.ISO_8859_1)) {
				lines.filter((line) -> line.contains(ERROR))
					.map((line) -> this.name + ": " + line)
					.forEach(errors::add);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return errors;
	}

	private Path log(int life) {
		return this.directory.resolve("%s-%03d.log".formatted(this.name, life));
	}

	@Override
	public void close() {
		if (this.process != null) {
			this.process.kill();
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}
