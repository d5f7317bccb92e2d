package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.PlainTimeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A time line of processes that share a scheduled job, on an ordinary day. Everything
 * that they report or launch must be mentioned in the line in which it happens.
 */
final class JobTimeline extends PlainTimeline<TimelineProcess> {

	static final JobKey KEY = new JobKey(SimulatedElection.NAME, "job");

	private static final LocalDate DAY = LocalDate.of(2026, 3, 2);

	private static final String TIME = "(\\d\\d:\\d\\d\\S*)";

	private final TimelineStore store = new TimelineStore(KEY, at("00:00"));

	private final Map<String, TimelineProcess> processes = new HashMap<>();

	private final Map<String, Duration> clocks = new HashMap<>();

	/** The jobs of single processes, and with an empty name the job of all others. */
	private final Map<String, Job> jobs = new HashMap<>();

	private long terms;

	JobTimeline(CharSequence log) {
		this(log, new Job(KEY, TimetableTests.everySeconds(3600), Job.DEFAULT_STARTING_DEADLINE, 1));
	}

	JobTimeline(CharSequence log, Job job) {
		super(log);
		this.jobs.put("", job);
		addRulesOfTerms();
		addRulesOfRuns();
		addRulesOfSchedulers();
		addRulesOfWhatIsTold();
		addRulesOfTheRecord();
		addRulesOfTheStore();
	}

	TimelineStore store() {
		return this.store;
	}

	@Override
	protected TimelineProcess process(String name) {
		return this.processes.computeIfAbsent(name,
				(absent) -> new TimelineProcess(name, this.jobs.getOrDefault(name, this.jobs.get("")), this.store,
						this.clocks.getOrDefault(name, Duration.ZERO)));
	}

	@Override
	protected boolean prepare(String subject, String description) {
		if (subject.equals("clocks")) {
			Pattern.compile("([A-Z]) [+]?" + DURATION)
				.matcher(description)
				.results()
				.forEach((clock) -> this.clocks.put(clock.group(1), duration(clock.group(2))));
			return true;
		}
		if (subject.startsWith("job")) {
			this.jobs.put(subject.replaceFirst("job( of )?", ""), job(description));
			return true;
		}
		return false;
	}

	@Override
	protected void passUntil(String time) {
		this.store.setTime(at(time));
	}

	@Override
	protected void endLine() {
		this.processes.values().forEach(TimelineProcess::hasNoNews);
	}

	private void addRulesOfTerms() {
		rule("leads(?: in term (\\d+))?", (process, matched) -> {
			process.elect(term(matched));
			process.jobs().turn();
		});
		rule("is elected", (process, matched) -> process.elect(++this.terms));
		rule("looks", (process, matched) -> process.jobs().turn());
		rule("does not look again before " + TIME, (process,
				matched) -> assertThat(this.store.time().plus(process.jobs().turn())).isEqualTo(at(matched.group(1))));
		rule("hands over|loses its term", (process, matched) -> {
			process.term().end();
			process.jobs().turn();
		});
		rule("crashes", (process, matched) -> {
			process.term().end();
			this.processes.values().remove(process);
		});
		rule("is deposed", (process, matched) -> process.term().end());
		rule("is deposed during its next start",
				(process, matched) -> this.store.duringStart(() -> process.term().end()));
	}

	private long term(MatchResult matched) {
		this.terms = (matched.group(1) != null) ? Long.parseLong(matched.group(1)) : this.terms + 1;
		return this.terms;
	}

	private void addRulesOfRuns() {
		rule("runs " + TIME, (process, matched) -> {
			assertThat(process.begin(PlannedRun.tick())).isEqualTo(Result.RAN);
			expectRun(process, at(matched.group(1)), Cause.SCHEDULED, 1);
		});
		rule("runs " + TIME + " \\(catch-up\\)", (process, matched) -> {
			assertThat(process.beginLaunched(PlannedRun.catchUp())).isEqualTo(Result.RAN);
			expectRun(process, at(matched.group(1)), Cause.CATCH_UP, 1);
		});
		rule("runs " + TIME + " \\(attempt (\\d)\\)", (process, matched) -> {
			assertThat(process.beginLaunched(PlannedRun.catchUp())).isEqualTo(Result.RAN);
			expectRun(process, at(matched.group(1)), Cause.SCHEDULED, Integer.parseInt(matched.group(2)));
		});
		rule("begins " + TIME + " \\(attempt 2\\)", (process, matched) -> {
			assertThat(process.beginHanded()).isEqualTo(Result.RAN);
			expectRun(process, at(matched.group(1)), Cause.SCHEDULED, 2);
		});
		rule("runs by hand", (process, matched) -> {
			assertThat(process.beginLaunched(PlannedRun.triggered())).isEqualTo(Result.RAN);
			expectRun(process, null, Cause.TRIGGERED, 1);
		});
		rule("runs nothing", (process, matched) -> process.hasNoNews());
		rule("skips " + TIME, (process, matched) -> {
			boolean leads = process.term() != null && process.term().isHeld();
			assertThat(leads && process.begin(PlannedRun.tick()) == Result.RAN).isFalse();
		});
		rule("has nothing to run",
				(process, matched) -> assertThat(process.begin(PlannedRun.tick())).isEqualTo(Result.ALREADY_RUN));
		rule("is called for " + TIME + " \\((.+)\\)", (process, matched) -> {
			Result expected = Result.valueOf(matched.group(2).toUpperCase(Locale.ROOT).replace(' ', '_'));
			assertThat(process.begin(PlannedRun.at(at(matched.group(1))))).isEqualTo(expected);
		});
		rule("finishes", (process, matched) -> process.end(null));
		rule("can't run what it has launched", (process, matched) -> {
			assertThat(process.beginHanded()).isEqualTo(Result.UNREACHABLE);
			process.jobs().turn();
		});
		rule("fails", (process, matched) -> process.end(new IllegalStateException()));
	}

	private static void expectRun(TimelineProcess process, Instant fireTime, Cause cause, int attempt) {
		JobRun run = process.run().run();
		assertThat(run.fireTime()).isEqualTo(fireTime);
		assertThat(run.cause()).isEqualTo(cause);
		assertThat(run.attempt()).isEqualTo(attempt);
		if (attempt > 1) {
			JobRun previous = process.run().previous();
			assertThat(previous.fireTime()).isEqualTo(fireTime);
			assertThat(previous.attempt()).isEqualTo(attempt - 1);
			assertThat(previous.outcome()).isEqualTo(Outcome.UNFINISHED);
			assertThat(previous.finishedAt()).isNull();
		}
	}

	private void addRulesOfSchedulers() {
		rule("launches a run", (process, matched) -> process.hand(PlannedRun.catchUp()));
		rule("launches a run by hand", (process, matched) -> process.hand(PlannedRun.triggered()));
		rule("gets its launch back", (process, matched) -> process.endLaunch());
		rule("has its launch dropped", (process, matched) -> process.dropLaunch());
		rule("has a call kept back", (process, matched) -> process.jobs().strayed(KEY, () -> false));
		rule("is triggered", (process, matched) -> process.jobs().trigger(KEY.election(), KEY.job()));
		rule("can't be triggered: (.*)",
				(process,
						matched) -> assertThat(
								catchThrowable(() -> process.jobs().trigger(KEY.election(), KEY.job())).toString())
							.contains(matched.group(1)));
		rule("has its job anew", (process, matched) -> process.changeJob(this.jobs.get("")));
		rule("has its job (every .*)", (process, matched) -> process.changeJob(job(matched.group(1))));
	}

	private void addRulesOfWhatIsTold() {
		rule("reports (\\d+) (missed|skipped)",
				(process, matched) -> process.hears(matched.group(2) + " " + matched.group(1)));
		rule("reports (\\d+) missed until " + TIME, (process, matched) -> {
			process.hears("missed " + matched.group(1));
			assertThat(process.lastMissed()).isEqualTo(at(matched.group(2)));
		});
		rule("reports " + TIME + " as unfinished",
				(process, matched) -> process.hears("unfinished " + at(matched.group(1))));
		rule("reports " + TIME + " as to be attempted again",
				(process, matched) -> process.hears("again " + at(matched.group(1))));
		rule("states no failure", (process, matched) -> assertThat(process.status().failure()).isNull());
		rule("states a failure: (.*)",
				(process, matched) -> assertThat(process.status().failure()).contains(matched.group(1)));
		rule("knows nothing of the record", (process, matched) -> assertThat(overdue(process)).isNull());
		rule("is not overdue", (process, matched) -> assertThat(overdue(process)).isZero());
		rule("is overdue by " + DURATION,
				(process, matched) -> assertThat(overdue(process)).isEqualTo(duration(matched.group(1))));
	}

	private Duration overdue(TimelineProcess process) {
		return process.status().overdue(this.store.time());
	}

	private void addRulesOfTheRecord() {
		rule("the record is not there", (none, matched) -> assertThat(this.store.record()).isNull());
		rule("the record shows no run", (none, matched) -> assertThat(this.store.record().last()).isNull());
		rule("the record shows (\\d+) missed", (none, matched) -> assertThat(this.store.record().missed())
			.isEqualTo(Long.parseLong(matched.group(1))));
		rule("the record shows (\\d+) skipped", (none, matched) -> assertThat(this.store.record().skipped())
			.isEqualTo(Long.parseLong(matched.group(1))));
		rule("the record covers " + TIME,
				(none, matched) -> assertThat(this.store.record().covered()).isEqualTo(at(matched.group(1))));
		rule("the record shows " + TIME + " (\\w+)(?: by ([A-Z]))?", (none, matched) -> {
			JobRun last = this.store.record().last();
			assertThat(last).isNotNull();
			assertThat(last.fireTime()).isEqualTo(at(matched.group(1)));
			assertThat(last.outcome()).isEqualTo(Outcome.valueOf(matched.group(2).toUpperCase(Locale.ROOT)));
			if (matched.group(3) != null) {
				assertThat(last.id()).isEqualTo(process(matched.group(3)).run().run().id());
			}
		});
		rule("the record is opened in term (\\d+)", (none, matched) -> {
			RunRecord record = this.store.record();
			RunRecord opened = record.opened(Long.parseLong(matched.group(1)), record.timetable(), record.covered());
			assertThat(this.store.replace(List.of(StoredRuns.stored(opened)), Duration.ZERO)).isNotEmpty();
		});
	}

	private void addRulesOfTheStore() {
		rule("the store loses each (start|end|change)", (none, matched) -> {
			this.store.work();
			this.store.lose(matched.group(1));
		});
		rule("the store loses each answer( to a change)?",
				(none, matched) -> this.store.loseAnswers(matched.group(1) == null));
		rule("the store works again", (none, matched) -> this.store.work());
		rule("the store loses all records", (none, matched) -> this.store.loseRecords());
		rule("the store calls the record damaged: (.*)", (none, matched) -> this.store.damage(matched.group(1)));
		rule("the store answers after " + DURATION,
				(none, matched) -> this.store.answerAfter(duration(matched.group(1))));
		rule("the store tells its time after " + DURATION,
				(none, matched) -> this.store.tellTimeAfter(duration(matched.group(1))));
		rule("the lost request arrives in vain", (none, matched) -> assertThat(this.store.arrive()).isFalse());
	}

	/** Return the job of all, with the described changes. */
	private Job job(String description) {
		Job job = this.jobs.get("");
		for (String part : description.split(", ")) {
			Matcher matcher = Pattern
				.compile("(every|after a delay of|at most) " + DURATION + "( late)?|(\\d) attempts|by other code")
				.matcher(part);
			assertThat(matcher.matches()).as(part).isTrue();
			Timetable timetable = job.timetable();
			Duration deadline = job.startingDeadline();
			int attempts = job.attempts();
			if (matcher.group(4) != null) {
				attempts = Integer.parseInt(matcher.group(4));
			}
			else if (matcher.group(1) == null) {
				timetable = Timetable.NONE;
			}
			else {
				Duration duration = duration(matcher.group(2));
				switch (matcher.group(1)) {
					case "every" -> timetable = TimetableTests.everySeconds(duration.toSeconds());
					case "at most" -> deadline = duration;
					default -> timetable = Timetable.every(duration, true);
				}
			}
			job = new Job(KEY, timetable, deadline, attempts);
		}
		return job;
	}

	static Instant at(String time) {
		return DAY.atTime(LocalTime.parse(time)).toInstant(ZoneOffset.UTC);
	}

}
