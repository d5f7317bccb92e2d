package io.github.leaderelection.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.SimulatedElection.SimulatedTerm;
import io.github.leaderelection.store.InMemoryRecordStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plays the time lines of the page on scheduled jobs.
 */
class JobsPageTests {

	private static final Path PAGE = Path.of("../docs/jobs.md");

	private static final Pattern BLOCK = Pattern.compile("```timeline\n(.*?)```", Pattern.DOTALL);

	@Test
	void pageHasTimelines() throws IOException {
		assertThat(timelines()).hasSizeGreaterThan(8);
	}

	@ParameterizedTest
	@MethodSource("timelines")
	void timelineIsTrue(String timeline) {
		new Play().play(timeline);
	}

	@Test
	void wrongTimelineIsNoticed() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> new Play().play("""
				02:59:00  A leads
				03:00:00  A runs 03:00
				03:00:05  A crashes
				03:00:24  B leads, and runs 03:00 (catch-up)
				"""));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> new Play().play("""
				02:59:00  A leads
				02:59:59  A crashes
				03:00:18  B leads, and runs nothing
				"""));
	}

	static List<String> timelines() throws IOException {
		Matcher matcher = BLOCK.matcher(Files.readString(PAGE));
		List<String> timelines = new ArrayList<>();
		while (matcher.find()) {
			timelines.add(matcher.group(1));
		}
		return timelines;
	}

	/** A time line that is played, on a day without anything special. */
	private static final class Play {

		private static final String DAY = "2026-03-02T";

		private static final JobKey KEY = new JobKey(SimulatedElection.NAME, "job");

		private final InMemoryRecordStore store = new InMemoryRecordStore(() -> this.now);

		private final Map<String, Instance> instances = new HashMap<>();

		private final Map<String, Duration> clocks = new HashMap<>();

		private Instant now = Instant.parse(DAY + "00:00:00Z");

		private long terms;

		void play(String timeline) {
			timeline.lines().forEach((line) -> {
				String[] parts = line.split("\\s{2,}", 2);
				if (parts[0].equals("clocks")) {
					Stream.of(parts[1].split(", "))
						.map((clock) -> clock.split(" "))
						.forEach((clock) -> this.clocks.put(clock[0], Duration.ofSeconds(Integer.parseInt(clock[1]))));
				}
				else {
					this.now = Instant.parse(DAY + parts[0] + "Z");
					String who = parts[1].substring(0, 1);
					Instance instance = this.instances.computeIfAbsent(who, (name) -> new Instance(name));
					for (String what : parts[1].substring(2).split(", and ")) {
						act(instance, who, what);
					}
				}
			});
			this.instances.values().forEach((instance) -> assertThat(instance.launched).isEmpty());
		}

		private void act(Instance instance, String who, String what) {
			switch (what) {
				case "leads" -> instance.lead(++this.terms);
				case "finishes" -> instance.finish();
				case "hands over", "loses its term" -> instance.lose();
				case "crashes" -> {
					instance.lose();
					this.instances.remove(who);
				}
				case "runs nothing" -> assertThat(instance.launched).isEmpty();
				case "reports 1 missed" -> assertThat(instance.heard).containsExactly("missed 1");
				default -> actOnFireTime(instance, what);
			}
		}

		private static void actOnFireTime(Instance instance, String what) {
			Matcher matcher = Pattern.compile("(runs|skips|reports) (\\d\\d:\\d\\d)( \\(catch-up\\)| as unfinished)?")
				.matcher(what);
			assertThat(matcher.matches()).as(what).isTrue();
			Instant fireTime = Instant.parse(DAY + matcher.group(2) + ":00Z");
			switch (matcher.group(1)) {
				case "runs" -> instance.run(fireTime, matcher.group(3) != null);
				case "skips" -> assertThat(instance.tick()).isNotEqualTo(Result.RAN);
				default -> assertThat(instance.heard).containsExactly("unfinished " + fireTime);
			}
		}

		private Instant wall(String name) {
			return this.now.plus(this.clocks.getOrDefault(name, Duration.ZERO));
		}

		private final class Instance implements JobListener {

			private final List<PlannedRun> launched = new ArrayList<>();

			private final List<String> heard = new ArrayList<>();

			private final SimulatedElection election;

			private final RecordedJobs jobs;

			private RecordedRun run;

			Instance(String name) {
				this.election = new SimulatedElection(name);
				this.jobs = new RecordedJobs(() -> this.election, Play.this.store, "", List.of(this),
						new EngineClock() {

							@Override
							public long nanos() {
								return Play.this.now.toEpochMilli() * 1_000_000;
							}

							@Override
							public long millis() {
								return wall(name).toEpochMilli();
							}

						});
				this.jobs.register(new Job(KEY, TimetableTests.everySeconds(3600), Job.DEFAULT_STARTING_DEADLINE, 1),
						(planned, done) -> {
							this.launched.add(planned);
							return new CompletableFuture<>();
						});
			}

			void lead(long term) {
				SimulatedTerm unused = this.election.begin(term);
				this.jobs.turn();
			}

			void lose() {
				this.election.term().end();
				this.jobs.turn();
			}

			void run(Instant fireTime, boolean caughtUp) {
				if (caughtUp) {
					assertThat(this.launched).containsExactly(PlannedRun.catchUp());
				}
				PlannedRun planned = caughtUp ? this.launched.remove(0) : PlannedRun.tick();
				RecordedRun.Begin begin = this.jobs.begin(KEY, planned, this.election.term());
				assertThat(begin.result()).isEqualTo(Result.RAN);
				this.run = begin.run();
				assertThat(this.run.run().fireTime()).isEqualTo(fireTime);
				assertThat(this.run.run().cause()).isEqualTo(caughtUp ? Cause.CATCH_UP : Cause.SCHEDULED);
			}

			Result tick() {
				return this.election.isLeader(KEY.election())
						? this.jobs.begin(KEY, PlannedRun.tick(), this.election.term()).result() : Result.NOT_LEADER;
			}

			void finish() {
				this.run.end(null);
			}

			@Override
			public void onUnfinished(JobRun run, boolean again) {
				this.heard.add("unfinished " + run.fireTime());
			}

			@Override
			public void onMissed(JobKey key, Instant last, int number) {
				this.heard.add("missed " + number);
			}

		}

	}

}
