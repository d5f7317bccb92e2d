package io.github.leaderelection.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A process that ends with this JVM, for whatever reason the JVM ends: a shell starts it
 * and waits until a pipe from this JVM closes. The kernel closes that even after SIGKILL.
 */
public final class SupervisedProcess {

	private static final String SUPERVISE = """
			log=$1
			shift
			"$@" >>"$log" 2>&1 </dev/null &
			child=$!
			# Ctrl-C reaches the whole terminal: the child ends when the JVM does, not before.
			trap '' INT HUP TERM
			echo "$child"
			cat >/dev/null
			kill -9 "$child" 2>/dev/null
			wait "$child"
			""";

	private static final Duration EXIT_TIMEOUT = Duration.ofSeconds(30);

	private final Process shell;

	private final ProcessHandle child;

	private final Path log;

	private SupervisedProcess(Process shell, ProcessHandle child, Path log) {
		this.shell = shell;
		this.child = child;
		this.log = log;
	}

	/**
	 * Start a process.
	 * @param command the program and its arguments
	 * @param log the file to which its output is appended
	 * @return the process, which may have ended already
	 */
	public static SupervisedProcess start(List<String> command, Path log) {
		List<String> shellCommand = new ArrayList<>(List.of("sh", "-c", SUPERVISE, "sh", log.toString()));
		shellCommand.addAll(command);
		try {
			Process shell = new ProcessBuilder(shellCommand)
				.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start();
			BufferedReader output = new BufferedReader(
					new InputStreamReader(shell.getInputStream(), StandardCharsets.US_ASCII));
			String line = output.readLine();
			Optional<ProcessHandle> child = (line != null) ? ProcessHandle.of(Long.parseLong(line)) : Optional.empty();
			if (child.isEmpty()) {
				shell.destroyForcibly();
				throw new IllegalStateException("Ended at once: " + command + endOf(log));
			}
			return new SupervisedProcess(shell, child.get(), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + command, ex);
		}
	}

	/**
	 * Return the id of the process.
	 * @return its id
	 */
	public long pid() {
		return this.child.pid();
	}

	/**
	 * Return whether the process exists.
	 * @return whether it does
	 */
	public boolean isAlive() {
		return this.child.isAlive();
	}

	/**
	 * Send SIGTERM and wait for the end; send SIGKILL after 30 seconds.
	 */
	void terminate() {
		this.child.destroy();
		if (!Polling.comesTrue(EXIT_TIMEOUT, () -> !isAlive())) {
			kill();
		}
		discardShell();
	}

	/**
	 * Send SIGKILL, which also ends a stopped process, and wait for the end.
	 */
	public void kill() {
		this.child.destroyForcibly();
		Polling.await(EXIT_TIMEOUT, () -> !isAlive(), () -> "end of process " + pid());
		discardShell();
	}

	/**
	 * Send a signal.
	 * @param name the signal's name, such as {@code STOP}
	 */
	public void signal(String name) {
		try {
			// The shell has kill built in; a small container may lack the program.
			int exit = new ProcessBuilder("sh", "-c", "kill -s \"$1\" \"$2\"", "sh", name, Long.toString(pid()))
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor();
			if (exit != 0) {
				throw new IllegalStateException("Cannot send SIG" + name + " to process " + pid());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending SIG" + name, ex);
		}
	}

	String endOfLog() {
		return endOf(this.log);
	}

	private void discardShell() {
		// Killed before its pipe closes: otherwise it would signal a process id that may
		// belong to another process by then.
		this.shell.destroyForcibly();
		this.shell.onExit().join();
		try {
			this.shell.getOutputStream().close();
		}
		catch (IOException ex) {
			// Nothing was ever written.
		}
	}

	private static String endOf(Path log) {
		try {
			List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
			return "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
		}
		catch (IOException ex) {
			return "";
		}
	}

}
