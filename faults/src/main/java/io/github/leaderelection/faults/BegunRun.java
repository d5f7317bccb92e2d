package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A run of a job that has begun, as written down by the process that runs it.
 *
 * @param job the job
 * @param fireTime the fire time for which it was started
 * @param term the term, 0 if the job needs no leader
 * @param attempt the number of the attempt
 * @param cause why it was started
 * @param id its id, the same for all runs of jobs without a record
 * @param nanos when it began, by the monotonic clock of the machine
 * @param late how long after its fire time it began, by the wall clock of its process
 * @param endNanos when its end was written, by the monotonic clock; 0 if it was not
 * @param history the file that it was read from
 */
record BegunRun(String job, Instant fireTime, long term, int attempt, String cause, String id, long nanos,
		Duration late, long endNanos, Path history) {

	/** The job whose runs are recorded. */
	static final String RECORDED = "recorded";

	/** The job that is only gated. */
	static final String GATED = "gated";

	/** The job that runs under a lock of ShedLock, on any instance. */
	static final String LOCKED = "locked";

	static final String EXTENSION = ".runs";

	BegunRun(String job, Instant fireTime, long term, int attempt, String cause, String id) {
		this(job, fireTime, term, attempt, cause, id, 0, Duration.ZERO, 0, Path.of(""));
	}

	/**
	 * Create a run of a job without a record.
	 */
	static BegunRun unrecorded(String job, Instant fireTime, long term) {
		return new BegunRun(job, fireTime, term, 1, "SCHEDULED", "-");
	}

	/** Return whether the end of the run was written down. */
	boolean ended() {
		return this.endNanos != 0;
	}

	/** Return when the run ended, by the wall clock of its process. */
	Instant end() {
		return this.fireTime.plus(this.late).plusNanos(this.endNanos - this.nanos);
	}

	boolean isCatchUp() {
		return this.cause.equals("CATCH_UP");
	}

	/**
	 * Read what all processes have written.
	 * @return the runs of one job
	 */
	static List<BegunRun> read(Path directory, String job) {
		try (Stream<Path> files = Files.list(directory)) {
			return files.filter((file) -> file.toString().endsWith(EXTENSION))
				.sorted()
				.flatMap((file) -> readFile(file, job).stream())
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static List<BegunRun> readFile(Path file, String job) {
		List<BegunRun> runs = new ArrayList<>();
		for (String line : lines(file)) {
			String[] words = line.split(" ", -1);
			if (words.length == 8 && words[1].equals("begin") && words[2].equals(job)) {
				long fireTime = Long.parseLong(words[3]);
				runs.add(new BegunRun(job, Instant.ofEpochMilli(fireTime), Long.parseLong(words[4]),
						Integer.parseInt(words[5]), words[6], words[7].substring(0, words[7].indexOf('@')),
						Long.parseLong(words[0]),
						Duration.ofMillis(Long.parseLong(words[7].substring(words[7].indexOf('@') + 1)) - fireTime), 0,
						file));
			}
			else if (words.length == 4 && !words[1].equals("begin") && words[2].equals(job)) {
				runs.set(runs.size() - 1, runs.get(runs.size() - 1).endedAt(Long.parseLong(words[0])));
			}
		}
		return runs;
	}

	/** Return the lines of a file, without a partial last line. */
	static List<String> lines(Path file) {
		try {
			String written = Files.exists(file) ? Files.readString(file) : "";
			return written.substring(0, written.lastIndexOf('\n') + 1).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private BegunRun endedAt(long end) {
		return new BegunRun(this.job, this.fireTime, this.term, this.attempt, this.cause, this.id, this.nanos,
				this.late, end, this.history);
	}

}
