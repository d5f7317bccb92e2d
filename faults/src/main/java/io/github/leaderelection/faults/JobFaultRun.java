package io.github.leaderelection.faults;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.leaderelection.faults.JobFault.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Injects a fault around one fire time after another.
 */
final class JobFaultRun {

	private static final Logger logger = LoggerFactory.getLogger(JobFaultRun.class);

	/** Leaves enough time for the earliest fault before a fire time. */
	private static final Duration AHEAD = Duration.ofMillis(1100);

	private final JobCluster cluster;

	private final Random random;

	private final List<Injected> injected = new ArrayList<>();

	JobFaultRun(JobCluster cluster, long seed) {
		this.cluster = cluster;
		this.random = new Random(seed);
	}

	/**
	 * Run the rounds, as many as fit into the time.
	 * @return the injected faults
	 */
	List<Injected> run(int rounds, Duration atMost) throws InterruptedException {
		long started = System.nanoTime();
		for (int round = 1; round <= rounds && System.nanoTime() - started < atMost.toNanos(); round++) {
			JobFault fault = JobFault.draw(this.random, List.of(Kind.values()));
			JobInstance leader = this.cluster.awaitLeader();
			Instant fireTime = next(leader.now().plus(AHEAD));
			pause(Duration.between(leader.now(), fireTime.plus(fault.offset())));
			logger.info("Round {} of {}: {} on {}", round, rounds, fault, leader);
			long begun = System.nanoTime();
			inject(fault, leader);
			this.injected.add(new Injected(fault.kind(), begun, System.nanoTime()));
		}
		this.cluster.awaitLeader();
		return this.injected;
	}

	/** Return the first fire time after a time. */
	static Instant next(Instant after) {
		long period = JobTally.PERIOD.toMillis();
		return Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), period) + 1) * period);
	}

	private void inject(JobFault fault, JobInstance leader) throws InterruptedException {
		switch (fault.kind()) {
			case KILLED -> {
				leader.kill();
				leader.launch();
			}
			case TERMINATED -> {
				leader.terminate();
				leader.launch();
			}
			case PAUSED -> {
				leader.pause();
				pause(fault.length());
				leader.resume();
			}
			case PRIMARY_STEPS_DOWN -> this.cluster.mongo().stepDown();
		}
	}

	static void pause(Duration duration) throws InterruptedException {
		if (duration.toMillis() > 0) {
			Thread.sleep(duration.toMillis());
		}
	}

	/**
	 * A fault that was injected.
	 *
	 * @param kind the kind of fault
	 * @param begun when it began, by the monotonic clock of the machine
	 * @param over when it was over
	 */
	record Injected(Kind kind, long begun, long over) {

	}

}
