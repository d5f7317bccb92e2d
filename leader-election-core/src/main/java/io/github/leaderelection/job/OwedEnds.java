package io.github.leaderelection.job;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.leaderelection.JobRun.Outcome;

/**
 * The ends of runs that stay owed until they are recorded.
 */
final class OwedEnds {

	private final Queue<Debt> owed = new ConcurrentLinkedQueue<>();

	private final RunRecords records;

	private final RunClock clock;

	OwedEnds(RunRecords records, RunClock clock) {
		this.records = records;
		this.clock = clock;
	}

	/** Owe the end of a run. Does no I/O. */
	Debt owe(RunEnd end) {
		return owe(end, () -> {
		});
	}

	/**
	 * Owe the end of a run. Does no I/O.
	 * @param covered called if what came during the run is settled thereby, and not by
	 * the next leader
	 */
	Debt owe(RunEnd end, Runnable covered) {
		Debt debt = new Debt(end, covered);
		this.owed.add(debt);
		return debt;
	}

	/** Record the end of a run later, on another thread. */
	void settleLater(RunEnd end) {
		Debt unused = owe(end);
	}

	boolean owes(String runId) {
		return this.owed.stream().anyMatch((debt) -> debt.end().runId().equals(runId));
	}

	/**
	 * Return whether the run was begun here, and it is owed what became of it. One that
	 * is to be taken back can't be any more once a later term has opened the record.
	 */
	boolean owesResult(String runId) {
		return this.owed.stream()
			.anyMatch((debt) -> debt.end().runId().equals(runId) && debt.end().outcome() != Outcome.WITHDRAWN);
	}

	boolean isEmpty() {
		return this.owed.isEmpty();
	}

	/** Record what is owed of one job, before anything else is recorded of it. */
	void settle(JobKey key) {
		for (Debt debt : this.owed) {
			if (debt.end().key().equals(key)) {
				settle(debt);
			}
		}
	}

	/**
	 * Record what is owed, as far as that is possible. A store that does not answer is
	 * waited for once, and not once for each.
	 */
	void settle() {
		long begun = this.clock.nanos();
		for (Debt debt : List.copyOf(this.owed)) {
			if (this.clock.nanos() - begun < RunRecords.TIMEOUT.toNanos() && !tryToSettle(debt)) {
				// One that always takes its time must not keep the others waiting.
				this.owed.add(debt);
				this.owed.remove(debt);
			}
		}
	}

	/** Record what is owed now, or else later. */
	boolean tryToSettle(Debt debt) {
		try {
			settle(debt);
			return true;
		}
		catch (RuntimeException ex) {
			// It stays owed.
			return false;
		}
	}

	/** Record what is owed now. It stays owed if this throws. */
	void settle(Debt debt) {
		boolean covered = this.records.end(debt.end());
		this.owed.remove(debt);
		if (covered) {
			debt.covered().run();
		}
	}

	/** What is owed, and who is told. */
	record Debt(RunEnd end, Runnable covered) {

	}

}
