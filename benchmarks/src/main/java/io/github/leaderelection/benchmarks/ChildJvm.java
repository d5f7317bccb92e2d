package io.github.leaderelection.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A JVM that answers each line with a line. Its program must end when its standard input
 * does, so it ends with this JVM at the latest.
 */
final class ChildJvm implements AutoCloseable {

	private static final long PATIENCE_SECONDS = 120;

	private final Process process;

	private final PrintStream questions;

	private final BufferedReader answers;

	ChildJvm(String classPath, Class<?> main, String... args) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-cp",
						classPath, main.getName()));
		command.addAll(List.of(args));
		try {
			this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.questions = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.UTF_8);
		this.answers = this.process.inputReader(StandardCharsets.UTF_8);
	}

	/**
	 * Send a line, and wait for the answer.
	 */
	String ask(String question) throws InterruptedException {
		this.questions.println(question);
		return answer();
	}

	/**
	 * Wait for a line.
	 */
	String answer() throws InterruptedException {
		CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
			try {
				String line = this.answers.readLine();
				if (line == null) {
					throw new IllegalStateException("A child process has ended");
				}
				return line;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		try {
			return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			close();
			throw new IllegalStateException("A child process did not answer", ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
	}

}
