package io.github.leaderelection.job;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RecordedJobs} that no time line can express: with threads, exceptions
 * and further jobs.
 */
@ExtendWith(LogCapture.class)
class RecordedJobsTests {

	private static final JobKey KEY = JobTimeline.KEY;

	private static final Instant THREE = JobTimeline.at("03:00");

	/** Run by the timetable before it returns a fire time. */
	private final AtomicReference<Runnable> whenAsked = new AtomicReference<>(() -> {
	});

	private JobTimeline timeline;

	private TimelineProcess process;

	private TimelineStore store;

	/** Let a process lead at three o'clock, when its job is due. */
	@BeforeEach
	void lead(CapturedLog log) {
		Timetable hourly = TimetableTests.everySeconds(3600);
		this.timeline = new JobTimeline(log, new Job(KEY, Timetable.of("3600", (after) -> {
			this.whenAsked.get().run();
			return hourly.next(TimetableTests.covered(after));
		}), Duration.ofMinutes(10), 1));
		this.timeline.play("""
				02:00:01  A leads
				03:00:00  A is not overdue
				""");
		this.process = this.timeline.process("A");
		this.store = this.timeline.store();
	}

	private void play(String lines) {
		this.timeline.play(lines.indent(10));
	}

	@Test
	void failedEndOfARunIsRecordedLater() {
		play("A runs 03:00");
		this.whenAsked.set(() -> {
			throw new OutOfMemoryError("as the test wants");
		});
		RecordedRun run = this.process.run();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> run.end(null));
		play("the record shows 03:00 running");
		this.whenAsked.set(() -> {
		});
		play("""
				A looks
				the record shows 03:00 succeeded
				""");
		assertThat(this.process.status().running()).isFalse();
	}

	/** It must affect no other job, and not keep the end of a run from being recorded. */
	@Test
	void failingTimetableIsRetriedAfterASecond(CapturedLog log) {
		play("A runs 03:00");
		this.whenAsked.set(() -> {
			throw new IllegalStateException("as the test wants");
		});
		play("""
				A finishes
				the record shows 03:00 succeeded
				""");
		this.store.setTime(JobTimeline.at("04:00:20"));
		assertThat(this.process.begin(PlannedRun.tick())).isEqualTo(Result.UNREACHABLE);
		assertThat(this.process.jobs().turn()).isEqualTo(Duration.ofSeconds(1));
		this.store.pass(Duration.ofSeconds(1));
		assertThat(this.process.jobs().turn()).isEqualTo(Duration.ofSeconds(1));
		assertThat(log).containsOnlyOnce("WARN")
			.contains("A run of job 'e/job' is due but could not be started; retrying every second");
		this.whenAsked.set(() -> {
		});
		this.store.pass(Duration.ofSeconds(1));
		play("A looks, and runs 04:00 (catch-up)");
	}

	/** The thread that serves all jobs may come in between, and leaves the end alone. */
	@Test
	void endIsRecordedByTheThreadOfTheRun() {
		play("A runs 03:00");
		this.whenAsked.set(() -> {
			this.whenAsked.set(() -> {
			});
			this.process.jobs().turn();
		});
		play("""
				A finishes
				the record shows 03:00 succeeded
				""");
	}

	/** Otherwise the run would seem never to have begun, and would begin again. */
	@Test
	void staleReadDoesNotDropTheEndOfARun() {
		play("""
				the store loses each start
				A is called for 03:00 (unreachable)
				""");
		this.store.meanwhile(() -> play("""
				the store works again
				A is called for 03:00 (ran)
				the store loses each end
				A finishes
				"""));
		play("""
				A looks
				the record shows 03:00 running
				the store works again
				A looks
				the record shows 03:00 succeeded
				""");
	}

	@Test
	void jobRunByOtherCodeStartsForItsFirstFireTime() {
		Instant fireTime = JobTimeline.at("01:00");
		RecordedJobs jobs = this.process.jobs();
		assertThat(jobs.run(KEY.election(), "imported", fireTime, (run) -> {
		})).isEqualTo(Result.RAN);
		play("""
				A loses its term
				B leads, and runs 03:00 (catch-up)
				""");
		assertThat(this.timeline.process("B").jobs().run(KEY.election(), "imported", fireTime, (run) -> {
		})).isEqualTo(Result.ALREADY_RUN);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.timeline.process("B").jobs().trigger(KEY.election(), "unknown"));
	}

	@Test
	void lockedRecordDoesNotDelayOthers(CapturedLog log) {
		Set<String> locked = new HashSet<>();
		RecordedJobs jobs = jobsWithPendingEnds(locked);
		locked.removeIf((id) -> !id.equals("e/locked"));
		for (int i = 0; i < 6; i++) {
			jobs.turn();
		}
		assertThat(outcome("one")).isEqualTo(Outcome.SUCCEEDED);
		assertThat(outcome("other")).isEqualTo(Outcome.SUCCEEDED);
		assertThat(outcome("locked")).isEqualTo(Outcome.RUNNING);
		assertThat(jobs.status()).filteredOn((status) -> status.failure() != null)
			.extracting((status) -> status.job().key().job())
			.containsExactly("locked");
		assertThat(log).containsOnlyOnce("can't be recorded").doesNotContain("recorded again");
	}

	@Test
	void unresponsiveStoreIsWaitedForOnceForAllRuns() {
		Set<String> locked = new HashSet<>();
		RecordedJobs jobs = jobsWithPendingEnds(locked);
		for (int i = 0; i < 3; i++) {
			Instant before = this.store.time();
			jobs.turn();
			assertThat(this.store.time()).isEqualTo(before.plus(RunStore.TIMEOUT));
		}
		locked.clear();
		jobs.turn();
		assertThat(outcome("other")).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void closeWithoutStoreReportsWhatIsLost(CapturedLog log) {
		String lost = "Job records can't be written: somebody else's transaction is open. The next leader reports";
		Set<String> locked = new HashSet<>();
		RecordedJobs jobs = jobsWithPendingEnds(locked);
		RecordStore away = (RecordStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RecordStore.class }, (proxy, request, arguments) -> {
					throw new LeaseStoreException("away", null);
				});
		RecordedJobs idle = new RecordedJobs(new SimulatedElection("C")::seen, away, "", List.of(),
				this.process.clock());
		idle.register(new Job(KEY, TimetableTests.everySeconds(3600), Duration.ofMinutes(10), 1), null);
		idle.close();
		assertThat(log).doesNotContain("Job records can't be written");
		jobs.close();
		assertThat(log).containsOnlyOnce(lost);
	}

	private Outcome outcome(String job) {
		return new StoredRuns(this.store).find(new JobKey(KEY.election(), job)).last().outcome();
	}

	/** Run three jobs, whose records are locked before their ends can be recorded. */
	private RecordedJobs jobsWithPendingEnds(Set<String> locked) {
		RecordStore slow = (RecordStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RecordStore.class }, (proxy, request, arguments) -> {
					if (request.getName().equals("replace") && ((Collection<?>) arguments[0]).stream()
						.anyMatch((record) -> locked.contains(((StoredRecord) record).id()))) {
						this.store.pass((Duration) arguments[1]);
						throw new LeaseStoreException("somebody else's transaction is open", null);
					}
					return request.invoke(this.store, arguments);
				});
		SimulatedElection election = new SimulatedElection("B");
		assertThat(election.begin(1).isHeld()).isTrue();
		RecordedJobs jobs = new RecordedJobs(election::seen, slow, "", List.of(), this.process.clock());
		for (String job : List.of("one", "locked", "other")) {
			assertThat(jobs.run(KEY.election(), job, THREE, (run) -> locked.add("e/" + job))).isEqualTo(Result.RAN);
		}
		return jobs;
	}

	@Test
	void damagedRecordAffectsOnlyItsOwnJob() {
		JobKey other = new JobKey(KEY.election(), "other");
		this.process.jobs()
			.register(new Job(other, TimetableTests.everySeconds(3600), Duration.ofMinutes(10), 1), null);
		play("""
				the store calls the record damaged: it was edited
				A is called for 03:00 (unreachable)
				A looks
				A states a failure: it was edited
				""");
		assertThat(this.process.jobs().status(other).failure()).isNull();
	}

	@Test
	void fireTimeInTheFarFutureIsRejected() {
		Instant far = this.store.time().plus(RunCodec.MOST_AHEAD);
		RecordedJobs jobs = this.process.jobs();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> jobs.run(KEY.election(), "own", far.plusMillis(1), (run) -> {
			}))
			.withMessageContaining("of job 'e/own' is more than a year ahead");
		assertThat(jobs.run(KEY.election(), "own", far, (run) -> {
		})).isEqualTo(Result.RAN);
	}

	@Test
	void fireTimesAreWholeMilliseconds() {
		assertThat(PlannedRun.at(THREE.plusNanos(123_456)).fireTime()).isEqualTo(THREE);
	}

	@Test
	void endOfAnInterruptedRunIsRecorded() {
		play("A runs 03:00");
		Thread.currentThread().interrupt();
		play("A finishes");
		assertThat(Thread.interrupted()).isTrue();
		play("the record shows 03:00 succeeded");
	}

	@Test
	void interruptDuringAStoreCallIsNotAnOutage(CapturedLog log) {
		this.store.meanwhile(() -> {
			Thread.currentThread().interrupt();
			throw new LeaseStoreException("interrupted", null);
		});
		play("A loses its term");
		play("B leads, and launches a run");
		assertThat(Thread.interrupted()).isTrue();
		assertThat(log).doesNotContain("can't be recorded");
	}

	@Test
	void currentRunIsAvailableInItsThread() {
		play("A runs 03:00");
		RecordedJobs jobs = this.process.jobs();
		assertThat(jobs.currentRun()).isEmpty();
		try (WorkScope scope = this.process.run().enter()) {
			assertThat(jobs.currentRun()).map(JobRun::fireTime).hasValue(THREE);
			assertThat(jobs.previousRun()).isEmpty();
		}
		assertThat(jobs.currentRun()).isEmpty();
	}

	@Test
	void jobMayBeRunByNameBeforeItIsDeclared() {
		SimulatedElection election = new SimulatedElection("B");
		assertThat(election.begin(1).isHeld()).isTrue();
		RecordedJobs jobs = new RecordedJobs(election::seen, this.store, "", List.of(), this.process.clock());
		assertThat(jobs.run(KEY.election(), "early", THREE, (run) -> {
		})).isEqualTo(Result.RAN);
		Job declared = new Job(new JobKey(KEY.election(), "early"), TimetableTests.everySeconds(60),
				Duration.ofMinutes(10), 1);
		jobs.register(declared, null);
		assertThat(jobs.status()).extracting(JobStatus::job).containsExactly(declared);
	}

	@Test
	void namesAreUnique() {
		Job same = new Job(KEY, Timetable.NONE, Duration.ofMinutes(10), 1);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.process.jobs().register(same, (run, done) -> new CompletableFuture<>()))
			.withMessageContaining("two jobs 'e/job'")
			.withMessageContaining("another name");
		assertThatIllegalArgumentException().isThrownBy(() -> Job.requireValidName("a/b"))
			.withMessageContaining("slash");
		assertThatIllegalArgumentException().isThrownBy(() -> Job.requireValidName(" "))
			.withMessageContaining("Job name ' ' is blank");
	}

}
