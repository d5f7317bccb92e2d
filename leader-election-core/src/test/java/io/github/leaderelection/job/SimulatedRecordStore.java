package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.Dice;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * The store as one simulated process reaches it: calls take time, in which other
 * processes go on; requests and answers are lost, and requests arrive long after their
 * sender has given up.
 */
final class SimulatedRecordStore implements RecordStore {

	private final RunSimulation simulation;

	private final RunSimulation.Process process;

	private final ObservedRecords shared;

	private final RunFlaw flaw;

	/** By how much this process overestimates the stored revision. */
	private long ahead;

	/** The record that this process believes to be stored, if it was never sent. */
	private RunRecord assumed;

	SimulatedRecordStore(RunSimulation simulation, RunSimulation.Process process, ObservedRecords shared,
			RunFlaw flaw) {
		this.simulation = simulation;
		this.process = process;
		this.shared = shared;
		this.flaw = flaw;
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		RecordReading reading = call(() -> this.shared.stored().read(ids, timeout));
		Map<String, StoredRecord> shown = new HashMap<>();
		reading.records().forEach((id, stored) -> shown.put(id, StoredRuns.stored(shown(this.shared.decoded(stored)))));
		return new RecordReading(shown, reading.damaged());
	}

	/** Return what this process sees with its flaw. */
	private RunRecord shown(RunRecord stored) {
		return switch (this.flaw) {
			case RECORD_NOT_LOOKED_AT -> {
				Instant now = Instant.ofEpochMilli(this.process.wall());
				boolean elected = this.process.term() > stored.fence() && now.isAfter(stored.covered());
				yield elected ? with(stored, stored.revision(), stored.fence(), now) : stored;
			}
			case NO_FENCE -> with(stored, stored.revision() + this.ahead,
					(this.assumed != null) ? Math.max(stored.fence(), this.assumed.fence()) : stored.fence(),
					stored.covered());
			default -> stored;
		};
	}

	private static RunRecord with(RunRecord record, long revision, long fence, Instant covered) {
		return new RunRecord(record.key(), revision, fence, covered, record.timetable(), record.skipped(),
				record.missed(), record.last());
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		return call(() -> this.shared.insert(records.iterator().next()));
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		StoredRecord only = changed.iterator().next();
		RunRecord next = this.shared.decoded(only);
		RunRecord stored = this.shared.record();
		if (next.skipped() > stored.skipped()) {
			this.process.requireLedUntil(next.covered());
		}
		JobRun last = next.last();
		boolean start = last != null && last.outcome() == Outcome.RUNNING && !stored.isLast(last.id());
		Set<String> replaced = switch (this.flaw) {
			case NO_COMPARE_AND_SET -> start ? call(() -> Set.of(only.id())) : call(() -> this.shared.replace(only));
			case RECORDED_AFTER_THE_RUN -> start ? assume(only, next, stored) : call(() -> this.shared.replace(only));
			case NO_FENCE -> unfenced(next, stored);
			case WITHDRAWN_WITHOUT_EFFECT -> call(() -> this.shared.replace(next.covered().isBefore(stored.covered())
					? StoredRuns.stored(with(next, next.revision(), next.fence(), stored.covered())) : only));
			default -> call(() -> this.shared.replace(only));
		};
		if (!replaced.isEmpty()) {
			this.shared.opened(next.fence());
		}
		return replaced;
	}

	/** Claim that a start is recorded, and record it when the run has ended. */
	private Set<String> assume(StoredRecord changed, RunRecord next, RunRecord stored) {
		return call(() -> {
			if (stored.revision() != next.revision() - 1) {
				return Set.of();
			}
			this.process.recordLater(changed);
			return Set.of(changed.id());
		});
	}

	/** Claim that the record is opened, without storing anything. */
	private Set<String> unfenced(RunRecord next, RunRecord stored) {
		boolean opening = next.fence() > stored.fence()
				&& (this.assumed == null || next.fence() > this.assumed.fence());
		if (opening) {
			Set<String> opened = call(() -> {
				if (this.shared.record().revision() + this.ahead != next.revision() - 1) {
					return Set.of();
				}
				this.ahead++;
				this.assumed = next;
				this.shared.opened(next.fence());
				return Set.of(next.key().id());
			});
			// A slow answer gives requests of an earlier leader time to arrive.
			this.process.await(this.simulation.dice().below(5_000));
			return opened;
		}
		long behind = next.revision() - this.ahead;
		return call(() -> this.shared.replace(StoredRuns.stored(with(next, behind, next.fence(), next.covered()))));
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Instant now(Duration timeout) {
		return call(() -> (this.flaw == RunFlaw.OWN_CLOCK_BELIEVED) ? Instant.ofEpochMilli(this.process.wall())
				: this.shared.stored().now(timeout));
	}

	private <T> T call(Supplier<T> request) {
		Dice dice = this.simulation.dice();
		boolean calm = this.simulation.isCalm();
		if (!calm && this.simulation.isStoreDown()) {
			this.process.await(dice.below(1_000));
			throw new LeaseStoreException("down", null);
		}
		int fate = calm ? 100 : dice.below(100);
		boolean sent = false;
		try {
			this.process.await(dice.below(calm ? 10 : dice.onceIn(10) ? 4_000 : 30));
			sent = true;
		}
		finally {
			if (!sent) {
				// Its sender has crashed. It still arrives, when another process leads.
				arriveLate(request);
			}
		}
		if (fate < 3) {
			// The request is lost.
			this.process.await(dice.below(5_000));
			throw new LeaseStoreException("no answer", null);
		}
		if (fate < 8) {
			// It arrives when its sender does not wait for the answer any more.
			arriveLate(request);
			this.process.await(dice.below(5_000));
			throw new LeaseStoreException("no answer", null);
		}
		T answer = request.get();
		this.process.await(dice.below(calm ? 10 : dice.onceIn(10) ? 4_000 : 30));
		if (fate < 13) {
			throw new LeaseStoreException("no answer", null);
		}
		return answer;
	}

	private void arriveLate(Supplier<?> request) {
		Dice dice = this.simulation.dice();
		this.simulation.later(dice.below(dice.onceIn(2) ? 3_000 : 60_000), () -> {
			try {
				Object unused = request.get();
			}
			catch (LeaseStoreException ex) {
				// Nobody waits for the answer.
			}
		});
	}

}
