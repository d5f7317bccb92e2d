package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.SuppliedClock;
import io.github.leaderelection.job.SimulatedElection.SimulatedTerm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process in a time line, with one job and a scheduler that does nothing by itself.
 * Events of listeners and launched runs are kept until the time line mentions them.
 */
final class TimelineProcess implements JobListener {

	private final List<PlannedRun> launched = new ArrayList<>();

	private final List<String> news = new ArrayList<>();

	private final List<Result> refused = new ArrayList<>();

	private final List<Duration> durations = new ArrayList<>();

	private final TimelineStore store;

	private final SimulatedElection election;

	private final EngineClock clock;

	private final RecordedJobs jobs;

	private Job job;

	private RecordedRun run;

	private Instant begunAt;

	/** The launched run that was handed to the scheduler. */
	private PlannedRun handed;

	private CompletableFuture<?> scheduled;

	private Runnable launchDone;

	private Instant lastMissed;

	TimelineProcess(String name, Job job, TimelineStore store, Duration ahead) {
		this.store = store;
		this.election = new SimulatedElection(name);
		this.clock = new SuppliedClock(() -> store.time().toEpochMilli() * 1_000_000,
				() -> store.time().plus(ahead).toEpochMilli());
		this.jobs = new RecordedJobs(this.election::seen, store, "", List.of(this), this.clock);
		this.job = job;
		register(job);
	}

	private void register(Job job) {
		this.jobs.register(job, (planned, done) -> {
			this.launched.add(planned);
			this.launchDone = done;
			this.scheduled = new CompletableFuture<>();
			return this.scheduled;
		});
	}

	RecordedJobs jobs() {
		return this.jobs;
	}

	EngineClock clock() {
		return this.clock;
	}

	/** Return the run that began last. */
	RecordedRun run() {
		return this.run;
	}

	SimulatedTerm term() {
		return this.election.term();
	}

	/** Begin a term that this process has not noticed yet. */
	void elect(long term) {
		SimulatedTerm unused = this.election.begin(term);
	}

	void changeJob(Job job) {
		this.jobs.unregister(this.job.key());
		this.job = job;
		register(job);
	}

	JobStatus status() {
		return this.jobs.status(this.job.key());
	}

	/** Begin a run, and return the result. */
	Result begin(PlannedRun planned) {
		RecordedRun.Begin begin = this.jobs.begin(this.job.key(), planned, term());
		if (begin.run() != null) {
			this.run = begin.run();
			this.begunAt = this.store.time();
			JobRun previous = this.run.previous();
			assertThat(previous == null || previous.outcome() != Outcome.RUNNING).isTrue();
		}
		boolean heard = begin.run() == null && !(planned.isTick() && begin.result() == Result.ALREADY_RUN);
		assertThat(this.refused).isEqualTo(heard ? List.of(begin.result()) : List.of());
		this.refused.clear();
		return begin.result();
	}

	/** Begin the launched run. */
	Result beginLaunched(PlannedRun expected) {
		if (this.handed == null) {
			hand(expected);
		}
		assertThat(this.handed).isEqualTo(expected);
		return beginHanded();
	}

	/** Begin the run that was handed to the scheduler. */
	Result beginHanded() {
		PlannedRun planned = this.handed;
		this.handed = null;
		return begin(planned);
	}

	/** Expect a launched run, and hand it to the scheduler. */
	void hand(PlannedRun expected) {
		assertThat(this.launched).containsExactly(expected);
		this.handed = this.launched.remove(0);
	}

	/** Let the scheduler report that it is done with the last launched run. */
	void endLaunch() {
		this.launchDone.run();
		this.jobs.turn();
	}

	/** Let the scheduler finish the last launched run without having called it. */
	void dropLaunch() {
		this.scheduled.complete(null);
	}

	void end(Throwable failure) {
		Duration duration = Duration.between(this.begunAt, this.store.time());
		this.run.end(failure);
		assertThat(this.durations).containsExactly(duration);
		this.durations.clear();
	}

	/** Expect the first event of a listener that was not mentioned yet. */
	void hears(String expected) {
		assertThat(this.news).isNotEmpty();
		assertThat(this.news.remove(0)).isEqualTo(expected);
	}

	Instant lastMissed() {
		return this.lastMissed;
	}

	/** Expect that everything was mentioned. */
	void hasNoNews() {
		assertThat(this.news).as("what %s reports", this.election.candidateId()).isEmpty();
		assertThat(this.launched).as("what %s launches", this.election.candidateId()).isEmpty();
	}

	@Override
	public void onUnfinished(JobRun run, boolean again) {
		assertThat(run.outcome()).isEqualTo(Outcome.UNFINISHED);
		this.news.add((again ? "again " : "unfinished ") + run.fireTime());
	}

	@Override
	public void onEnded(JobRun run, Duration duration) {
		this.durations.add(duration);
	}

	@Override
	public void onRefused(JobKey key, Result result) {
		this.refused.add(result);
	}

	@Override
	public void onMissed(JobKey key, Instant last, int number) {
		this.news.add("missed " + number);
		this.lastMissed = last;
	}

	@Override
	public void onSkipped(JobKey key, int number) {
		this.news.add("skipped " + number);
	}

}
