package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.launcher.SupervisedProcess;
import org.awaitility.Awaitility;

/**
 * A {@link ScheduledJobsApplication} in its own JVM, with its own wall clock.
 */
final class JobInstance implements AutoCloseable {

	/** The event that the application writes once it has started. */
	static final String STARTED = "process";

	/** The shared memory of the library that shifts clocks ends with the process. */
	private static final List<String> IN_NAMESPACE = List.of("unshare", "--mount", "sh", "-c",
			"mount -t tmpfs none /dev/shm && exec \"$@\"", "sh");

	private final String name;

	private final Path directory;

	private final WallClock clock;

	private final List<String> args;

	private Duration ahead;

	private int lives;

	private SupervisedProcess process;

	private Path history;

	private boolean paused;

	JobInstance(String name, Path directory, Duration ahead, List<String> args) {
		this.name = name;
		this.directory = directory;
		this.clock = new WallClock(directory.resolve(name + ".clock"));
		this.args = List.copyOf(args);
		setAhead(ahead);
	}

	/** Return whether this machine allows processes with their own clocks. */
	static boolean isPermitted() {
		List<String> command = new ArrayList<>(IN_NAMESPACE);
		command.add("true");
		try {
			return new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Set the clock of the next process to be launched. */
	void setAhead(Duration ahead) {
		this.ahead = ahead;
		this.clock.set("%+ds".formatted(ahead.toSeconds()));
	}

	/** Return the time by the wall clock of the process. */
	Instant now() {
		return Instant.now().plus(this.ahead);
	}

	void launch() {
		this.lives++;
		this.paused = false;
		this.history = this.directory.resolve("%s-%03d".formatted(this.name, this.lives) + BegunRun.EXTENSION);
		List<String> command = new ArrayList<>(IN_NAMESPACE);
		command.addAll(this.clock.startWith());
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m", "-cp", System.getProperty("java.class.path"),
				ScheduledJobsApplication.class.getName()));
		command.addAll(this.args);
		command.addAll(List.of("--faults.history=" + this.history, "--spring.application.name=jobs"));
		this.process = SupervisedProcess.start(command, log(this.lives));
	}

	void kill() {
		this.process.kill();
	}

	/** Wait until the process has started, send SIGTERM, and wait for its end. */
	void terminate() {
		Awaitility.await("start of " + this).atMost(Duration.ofMinutes(2)).until(this::isStarted);
		this.process.signal("TERM");
		Awaitility.await("end of " + this).atMost(Duration.ofSeconds(60)).until(() -> !this.process.isAlive());
	}

	void pause() {
		this.process.signal("STOP");
		this.paused = true;
	}

	void resume() {
		this.process.signal("CONT");
		this.paused = false;
	}

	/**
	 * Return the term that it leads as far as it knows, 0 if none.
	 */
	long term() {
		if (this.process == null || !this.process.isAlive() || this.paused) {
			return 0;
		}
		long term = 0;
		for (String line : BegunRun.lines(this.history)) {
			String[] words = line.split(" ", -1);
			if (words[1].equals(WrittenCandidate.ELECTED)) {
				term = Long.parseLong(words[2]);
			}
			else if (words[1].equals(WrittenCandidate.DEFEATED)) {
				term = 0;
			}
		}
		return term;
	}

	/**
	 * Return whether it has started. A process that gets SIGTERM before may fail to
	 * start, and log that as an error.
	 */
	boolean isStarted() {
		return this.process != null && this.process.isAlive()
				&& BegunRun.lines(this.history).stream().anyMatch((line) -> line.split(" ", -1)[1].equals(STARTED));
	}

	/** Return the runs that the present process has begun. */
	List<BegunRun> begun(String job) {
		return BegunRun.readFile(this.history, job);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	int lives() {
		return this.lives;
	}

	/**
	 * Return the errors logged by any of its processes. No injected fault justifies one.
	 */
	List<String> errors() {
		List<String> errors = new ArrayList<>();
		for (int life = 1; life <= this.lives; life++) {
			try (Stream<String> lines = Files.lines(log(life), StandardCharsets.ISO_8859_1)) {
				lines.filter((line) -> line.contains(" ERROR "))
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
		return this.name + " (" + this.ahead.toSeconds() + " s ahead)";
	}

}
