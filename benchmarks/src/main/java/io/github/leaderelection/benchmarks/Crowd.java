package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Many candidates, in as many processes as they need.
 */
final class Crowd implements AutoCloseable {

	/** More would need more memory than a child JVM has. */
	private static final int MOST_PER_PROCESS = 10;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final String database = "crowd-" + UUID.randomUUID();

	private final List<ChildJvm> processes = new ArrayList<>();

	private final String uri;

	private final int elections;

	private final int candidates;

	Crowd(String uri, int elections, int candidates, Duration ttl) {
		this.uri = uri;
		this.elections = elections;
		this.candidates = candidates;
		Databases.create(uri, this.database);
		for (int from = 0; from < candidates; from += MOST_PER_PROCESS) {
			this.processes.add(new ChildJvm(System.getProperty("java.class.path"), CandidateProcess.class, uri,
					this.database, Integer.toString(elections), ttl.toString()));
		}
	}

	/**
	 * Let all candidates stand in all elections, and wait until each election has a
	 * leader that all candidates know.
	 * @param spread whether each candidate leads its share; otherwise one leads all
	 * @return the state when the time is over, or {@code null} on success
	 */
	@Nullable String start(boolean spread) throws InterruptedException {
		long deadline = System.nanoTime() + LIMIT.toNanos();
		if (spread) {
			for (int i = 0; i < this.processes.size(); i++) {
				int from = i * MOST_PER_PROCESS;
				this.processes.get(i).ask("share %d %d %d".formatted(from, from + size(i), this.candidates));
			}
			if (!allLed(deadline)) {
				return state();
			}
			ask("all");
		}
		else {
			this.processes.get(0).ask("join 1");
			if (!allLed(deadline)) {
				return state();
			}
			for (int i = 0; i < this.processes.size(); i++) {
				this.processes.get(i).ask("join %d".formatted((i > 0) ? size(i) : size(i) - 1));
			}
		}
		while (sum("unseen") > 0 || sum("leading") < this.elections) {
			if (System.nanoTime() > deadline) {
				return state();
			}
			Thread.sleep(500);
		}
		return null;
	}

	private int size(int process) {
		return Math.min(MOST_PER_PROCESS, this.candidates - process * MOST_PER_PROCESS);
	}

	private boolean allLed(long deadline) throws InterruptedException {
		while (sum("leading") < this.elections) {
			if (System.nanoTime() > deadline) {
				return false;
			}
			Thread.sleep(200);
		}
		return true;
	}

	private String state() throws InterruptedException {
		return "no steady state after %d s: %d of %d elections led, %d times a candidate knew of no leader"
			.formatted(LIMIT.toSeconds(), sum("leading"), this.elections, sum("unseen"));
	}

	/**
	 * Return how many terms have begun.
	 */
	long elected() throws InterruptedException {
		return sum("elected");
	}

	/**
	 * Return how many threads elections use, in all processes.
	 */
	long threads() throws InterruptedException {
		return sum("threads");
	}

	/**
	 * Return how many bytes of heap are in use, in all processes.
	 */
	long heap() throws InterruptedException {
		return sum("heap");
	}

	Commands commands() throws InterruptedException {
		Commands commands = Commands.NONE;
		for (ChildJvm process : this.processes) {
			commands = commands.plus(Commands.parse(process.ask("commands")));
		}
		return commands;
	}

	private long sum(String question) throws InterruptedException {
		long sum = 0;
		for (ChildJvm process : this.processes) {
			sum += Long.parseLong(process.ask(question));
		}
		return sum;
	}

	private void ask(String question) throws InterruptedException {
		for (ChildJvm process : this.processes) {
			process.ask(question);
		}
	}

	@Override
	public void close() {
		this.processes.forEach(ChildJvm::close);
		Databases.drop(this.uri, this.database);
	}

}
