package io.github.leaderelection.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.leaderelection.faults.JobFaultRun.Injected;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A scheduled job on real instances whose clocks are far apart, through crashes, pauses,
 * restarts and failovers of MongoDB around its fire times. The same job without a record,
 * and under a lock of ShedLock, is only counted, for comparison. Takes two or three
 * minutes. With the Maven profile {@code faults}, {@code rounds} sets the number of
 * rounds, {@code ahead} how many seconds the clocks are apart, and {@code seed} the seed.
 * Skipped where it can't run, unless {@code faults.required} is set.
 */
@Tag("deep")
class ScheduledJobsFaultIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(ScheduledJobsFaultIntegrationTests.class);

	private static final Path DIRECTORY = Path.of("target", "job-faults").toAbsolutePath();

	@BeforeEach
	void requirePrivileges() {
		boolean possible = WallClock.library().isPresent() && JobInstance.isPermitted();
		String reason = "Faults of scheduled jobs are left out: there is no libfaketime, or no namespace for this user";
		if (Boolean.getBoolean("faults.required") && !possible) {
			fail(reason);
		}
		assumeTrue(possible, reason);
	}

	@Test
	void eachFireTimeIsStartedOnceAndNoneIsMissed() throws Exception {
		Integer rounds = Integer.getInteger("faults.rounds");
		long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
		Duration apart = Duration.ofSeconds(Integer.getInteger("ahead", 40));
		List<Duration> ahead = List.of(apart, Duration.ZERO, apart.negated());
		String command = (rounds != null)
				? ("./mvnw -Pfaults verify -Dfaults.tests=ScheduledJobsFaultIntegrationTests -Drounds=%d -Dahead=%d"
						+ " -Dseed=%d -pl faults -am")
					.formatted(rounds, apart.toSeconds(), seed)
				: "./mvnw -Pdeep verify -Dseed=%d".formatted(seed);
		Path directory = DIRECTORY.resolve("run");
		long started = System.nanoTime();
		try (JobCluster cluster = new JobCluster(directory, ahead)) {
			cluster.mongo().start();
			cluster.instances().forEach(JobInstance::launch);
			List<Injected> faults = new JobFaultRun(cluster, seed).run((rounds != null) ? rounds : 12,
					(rounds != null) ? Duration.ofDays(1) : Duration.ofSeconds(55));
			// A leader whose clock is behind its predecessor's starts nothing at first.
			Awaitility.await("a start")
				.atMost(Duration.ofMinutes(5))
				.until(() -> !cluster.begun(BegunRun.RECORDED).isEmpty());
			cluster.awaitNothingDue();
			cluster.instances().forEach(JobInstance::terminate);
			List<RecordedState> states = cluster.states();
			JobTally recorded = JobTally.ofRecorded(cluster.begun(BegunRun.RECORDED), states).explainedBy(faults);
			JobTally gated = JobTally.ofUnrecorded(cluster.begun(BegunRun.GATED));
			JobTally locked = JobTally.ofUnrecorded(cluster.begun(BegunRun.LOCKED));
			long terms = states.stream().map(RecordedState::term).filter((term) -> term > 0).distinct().count();
			String report = new JobFaultReport(command, Duration.ofNanos(System.nanoTime() - started), ahead, faults,
					recorded, gated, locked, cluster.errorsOfLock().size(), terms)
				.toMarkdown();
			Files.writeString(directory.resolve("report.md"), report);
			List<String> violations = new ArrayList<>(recorded.violations());
			violations.addAll(cluster.errors());
			logger.info("{}\n{}", report, violations);
			assertThat(violations).as("seed %d, see %s", seed, directory).isEmpty();
			assertThat(recorded.begun()).as("fire times that were started").isPositive();
			assertThat(locked.begun()).as("fire times that were started under ShedLock's lock").isPositive();
		}
	}

	/**
	 * Without a record, a leader whose clock is behind starts a fire time again, and a
	 * fire time between a crash and the next leader is missed. Otherwise the run above
	 * would prove nothing.
	 */
	@Test
	void unrecordedJobRepeatsAndMissesFireTimes() throws Exception {
		Path directory = DIRECTORY.resolve("forced");
		try (JobCluster cluster = new JobCluster(directory, List.of(Duration.ofSeconds(10), Duration.ZERO))) {
			JobInstance fast = cluster.instances().get(0);
			JobInstance slow = cluster.instances().get(1);
			cluster.mongo().start();
			fast.launch();
			awaitRuns(fast, BegunRun.GATED, 2);
			awaitRuns(fast, BegunRun.RECORDED, 2);
			slow.launch();
			awaitStart(slow);
			fast.terminate();
			fast.setAhead(Duration.ZERO);
			awaitRuns(slow, BegunRun.RECORDED, 1);
			assertThat(JobTally.ofUnrecorded(cluster.begun(BegunRun.GATED)).doubled()).isPositive();
			assertThat(recorded(cluster).doubled()).isZero();

			fast.launch();
			awaitStart(fast);
			Instant missed = killBeforeFireTime(cluster, slow);
			awaitRuns(fast, BegunRun.RECORDED, 2);
			assertThat(cluster.begun(BegunRun.GATED)).extracting(BegunRun::fireTime)
				.doesNotContain(missed)
				.anyMatch((fireTime) -> fireTime.isAfter(missed));
			assertThat(JobTally.ofUnrecorded(cluster.begun(BegunRun.GATED)).missed()).isPositive();
			assertThat(cluster.begun(BegunRun.RECORDED)).filteredOn(BegunRun::isCatchUp)
				.extracting(BegunRun::fireTime)
				.anyMatch((fireTime) -> !fireTime.isBefore(missed));
			// A run that ends between the two reads would look like a violation.
			fast.terminate();
			assertThat(recorded(cluster).violations()).isEmpty();
			assertThat(cluster.errors()).isEmpty();
		}
	}

	private static Instant killBeforeFireTime(JobCluster cluster, JobInstance leader) throws InterruptedException {
		Instant fireTime = JobFaultRun.next(leader.now().plus(Duration.ofSeconds(1)));
		JobFaultRun.pause(Duration.between(leader.now(), fireTime.minus(Duration.ofMillis(400))));
		leader.kill();
		assertThat(leader.now()).as("killed in time, or this machine is too busy to tell").isBefore(fireTime);
		return fireTime;
	}

	private static JobTally recorded(JobCluster cluster) {
		return JobTally.ofRecorded(cluster.begun(BegunRun.RECORDED), cluster.states());
	}

	private static void awaitRuns(JobInstance instance, String job, int number) {
		Awaitility.await("%d runs of job '%s' by %s".formatted(number, job, instance))
			.atMost(Duration.ofSeconds(120))
			.until(() -> instance.begun(job).size() >= number);
	}

	private static void awaitStart(JobInstance instance) {
		Awaitility.await("start of " + instance).atMost(Duration.ofSeconds(120)).until(instance::isStarted);
	}

}
