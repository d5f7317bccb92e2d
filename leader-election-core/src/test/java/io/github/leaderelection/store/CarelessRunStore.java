package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunStore} that breaks one of the rules, each in its own way.
 */
class CarelessRunStore implements RunStore {

	private final RunStore sound;

	private final @Nullable Flaw flaw;

	private final CyclicBarrier all = new CyclicBarrier(RunStoreContractTests.RACERS);

	CarelessRunStore(RunStore sound, @Nullable Flaw flaw) {
		this.sound = sound;
		this.flaw = flaw;
	}

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		return this.sound.open(openings.stream().map(this::careless).toList(), timeout);
	}

	private RunOpening careless(RunOpening opening) {
		RunRecord record = record(opening.key());
		if (this.flaw == null || record == null) {
			return opening;
		}
		return switch (this.flaw) {
			case OPENS_WITHOUT_RAISING_THE_FENCE -> opening(opening, record.fence(), opening.timetable());
			case OPENS_UNDER_EARLIER_TERMS ->
				opening(opening, Math.max(opening.term(), record.fence()), opening.timetable());
			case KEEPS_THE_TIMETABLE -> opening(opening, opening.term(), record.timetable());
			default -> opening;
		};
	}

	private static RunOpening opening(RunOpening opening, long term, String timetable) {
		return new RunOpening(opening.key(), term, timetable, opening.asOf());
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		RunRecord record = record(start.key());
		if (this.flaw == null || record == null) {
			return this.sound.start(start, timeout);
		}
		JobRun run = start.run();
		String last = (record.last() != null) ? record.last().id() : null;
		boolean covered = run.fireTime() != null && !run.fireTime().isAfter(record.covered());
		Instant anew = covered ? null : run.fireTime();
		RunStart careless = switch (this.flaw) {
			case STARTS_WITHOUT_FENCE ->
				start(run, run.fireTime(), run.attempt(), Math.max(run.term(), record.fence()), start.previous());
			case STARTS_WITHOUT_COVERED -> start(run, start.isFurtherAttempt() ? run.fireTime() : anew, run.attempt(),
					run.term(), start.previous());
			case STARTS_WITHOUT_PREVIOUS -> start(run, run.fireTime(), run.attempt(), run.term(), last);
			case STARTS_ANY_ATTEMPT -> start(run, anew, 1, run.term(), start.previous());
			case STARTS_AGAIN -> run.id().equals(last) ? start(run, anew, 1, run.term(), last) : start;
			default -> start;
		};
		return (this.flaw == Flaw.LOOKS_BEFORE_IT_STARTS) ? startAsSeen(start, record, timeout)
				: this.sound.start(careless, timeout);
	}

	/** Whatever has come between. */
	private RunRecord startAsSeen(RunStart start, RunRecord seen, Duration timeout) {
		meet();
		RunRecord record = seen;
		while (!record.isLast(start.run().id())) {
			String last = (record.last() != null) ? record.last().id() : null;
			record = this.sound.start(start(start.run(), null, 1, Math.max(start.run().term(), record.fence()), last),
					timeout);
		}
		return record;
	}

	/** Wait until all have looked. */
	private void meet() {
		try {
			this.all.await(60, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static RunStart start(JobRun run, @Nullable Instant fireTime, int attempt, long term,
			@Nullable String previous) {
		return new RunStart(new JobRun(run.id(), run.election(), run.job(), fireTime, run.cause(), attempt, term,
				run.candidateId(), null, null, Outcome.RUNNING), previous);
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		RunRecord record = record(end.key());
		if (this.flaw == null || record == null || record.last() == null) {
			return this.sound.finish(end, timeout);
		}
		RunEnd careless = switch (this.flaw) {
			case ENDS_WHATEVER_IS_LAST -> end(end, record.last().id(), end.outcome());
			case WITHDRAWS_WITHOUT_FENCE ->
				end(end, end.runId(), (end.outcome() == Outcome.WITHDRAWN && record.fence() != record.last().term())
						? Outcome.FAILED : end.outcome());
			default -> end;
		};
		return this.sound.finish(careless, timeout) || this.flaw == Flaw.ENDS_TWICE;
	}

	private static RunEnd end(RunEnd end, String run, Outcome outcome) {
		return new RunEnd(end.key(), run, outcome);
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		RunRecord record = record(cover.key());
		if (this.flaw == null || record == null) {
			return this.sound.cover(cover, timeout);
		}
		long term = (this.flaw == Flaw.COVERS_WITHOUT_FENCE) ? record.fence() : cover.term();
		Instant from = (this.flaw == Flaw.COUNTS_TWICE) ? record.covered() : cover.from();
		return this.sound.cover(new RunCover(cover.key(), term, from, cover.until(), cover.skipped(), cover.missed()),
				timeout);
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		return this.sound.find(keys, timeout);
	}

	private @Nullable RunRecord record(JobKey key) {
		return this.sound.find(List.of(key), Duration.ofSeconds(60)).records().get(key);
	}

	/** What can be broken. */
	enum Flaw {

		OPENS_WITHOUT_RAISING_THE_FENCE, OPENS_UNDER_EARLIER_TERMS, KEEPS_THE_TIMETABLE, STARTS_WITHOUT_FENCE,
		STARTS_WITHOUT_COVERED, STARTS_WITHOUT_PREVIOUS, STARTS_ANY_ATTEMPT, STARTS_AGAIN, ENDS_WHATEVER_IS_LAST,
		ENDS_TWICE, WITHDRAWS_WITHOUT_FENCE, COVERS_WITHOUT_FENCE, COUNTS_TWICE, LOOKS_BEFORE_IT_STARTS

	}

}
