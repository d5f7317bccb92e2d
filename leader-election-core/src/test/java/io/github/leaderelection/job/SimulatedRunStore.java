package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;

/**
 * The store as one simulated process reaches it: calls take time, in which others go on;
 * requests and answers are lost, and requests arrive long after their sender has given
 * up.
 */
final class SimulatedRunStore implements RunStore {

	private final RunSimulation simulation;

	private final RunSimulation.Process process;

	private final RunStore shared;

	private final RunFlaw flaw;

	SimulatedRunStore(RunSimulation simulation, RunSimulation.Process process, RunStore shared, RunFlaw flaw) {
		this.simulation = simulation;
		this.process = process;
		this.shared = shared;
		this.flaw = flaw;
	}

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		RunReading reading = call(() -> (this.flaw == RunFlaw.NO_FENCE) ? unfenced(openings, timeout)
				: this.shared.open(openings, timeout));
		if (this.flaw == RunFlaw.RECORD_NOT_LOOKED_AT) {
			Map<JobKey, RunRecord> blind = new HashMap<>();
			for (RunOpening opening : openings) {
				RunRecord record = reading.records().get(opening.key());
				if (record != null) {
					blind.put(opening.key(), new RunRecord(record.key(), record.fence(), later(record, opening.asOf()),
							record.timetable(), record.skipped(), record.missed(), record.last()));
				}
			}
			return new RunReading(blind, Map.of());
		}
		return reading;
	}

	/** The records as they are, made under no term. */
	private RunReading unfenced(Collection<RunOpening> openings, Duration timeout) {
		this.shared.open(openings.stream()
			.map((opening) -> new RunOpening(opening.key(), 0, opening.timetable(), opening.asOf()))
			.toList(), timeout);
		Map<JobKey, RunRecord> found = new HashMap<>();
		for (RunOpening opening : openings) {
			RunRecord record = this.shared.find(List.of(opening.key()), timeout).records().get(opening.key());
			if (record != null && record.fence() <= opening.term()) {
				found.put(opening.key(), new RunRecord(record.key(), opening.term(), record.covered(),
						record.timetable(), record.skipped(), record.missed(), record.last()));
			}
		}
		return new RunReading(found, Map.of());
	}

	private static Instant later(RunRecord record, Instant other) {
		return record.covered().isAfter(other) ? record.covered() : other;
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		return switch (this.flaw) {
			case NO_COMPARE_AND_SET -> call(() -> forced(start));
			case RECORDED_AFTER_THE_RUN -> assumed(start);
			default -> call(() -> this.shared.start(start, timeout));
		};
	}

	private RunRecord forced(RunStart start) {
		RunRecord record = find(start);
		JobRun run = start.run();
		return new RunRecord(record.key(), record.fence(), run.fireTime(), record.timetable(), record.skipped(),
				record.missed(), run);
	}

	private RunRecord assumed(RunStart start) {
		RunRecord record = call(() -> find(start));
		if (record.fence() > start.run().term() || !start.run().fireTime().isAfter(record.covered())) {
			return record;
		}
		this.process.recordLater(start);
		return new RunRecord(record.key(), record.fence(), start.run().fireTime(), record.timetable(), record.skipped(),
				record.missed(), start.run());
	}

	private RunRecord find(RunStart start) {
		return this.shared.find(List.of(start.key()), Duration.ofSeconds(1)).records().get(start.key());
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		RunEnd asSent = (this.flaw == RunFlaw.WITHDRAWN_WITHOUT_EFFECT && end.outcome() == Outcome.WITHDRAWN)
				? new RunEnd(end.key(), end.runId(), Outcome.FAILED) : end;
		return call(() -> this.shared.finish(asSent, timeout));
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		this.process.requireLedUntil(cover);
		return call(() -> this.shared.cover(cover, timeout));
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		return call(() -> this.shared.find(keys, timeout));
	}

	private <T> T call(Supplier<T> request) {
		RunSimulation.Dice dice = this.simulation.dice();
		boolean calm = this.simulation.isCalm();
		if (!calm && this.simulation.isStoreDown()) {
			this.process.await(dice.upTo(1_000));
			throw new LeaseStoreException("down", null);
		}
		int fate = calm ? 100 : dice.upTo(100);
		this.process.await(dice.upTo(calm ? 10 : dice.oneIn(10) ? 4_000 : 30));
		if (fate < 3) {
			// The request is lost.
			this.process.await(dice.upTo(5_000));
			throw new LeaseStoreException("no answer", null);
		}
		if (fate < 8) {
			// It arrives when nobody waits for the answer any more.
			this.simulation.later(dice.upTo(dice.oneIn(2) ? 3_000 : 60_000), () -> {
				try {
					Object unused = request.get();
				}
				catch (LeaseStoreException ex) {
					// There is nobody to be told.
				}
			});
			this.process.await(dice.upTo(5_000));
			throw new LeaseStoreException("no answer", null);
		}
		T answer = request.get();
		this.process.await(dice.upTo(calm ? 10 : dice.oneIn(10) ? 4_000 : 30));
		if (fate < 13) {
			throw new LeaseStoreException("no answer", null);
		}
		return answer;
	}

}
