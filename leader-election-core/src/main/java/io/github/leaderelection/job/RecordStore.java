package io.github.leaderelection.job;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;
import io.github.leaderelection.store.UnusableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * The store as the jobs of this process use it: with one line in the log for an outage,
 * and one for its end, and with ends of runs that stay owed until they are recorded.
 */
final class RecordStore {

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final RunStore store;

	private final Queue<Debt> owed = new ConcurrentLinkedQueue<>();

	private final EngineClock clock;

	private volatile @Nullable String failure;

	RecordStore(RunStore store, EngineClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/** Return why the last call has failed, {@code null} if it has not. */
	@Nullable String failure() {
		return this.failure;
	}

	RunReading open(Collection<RunOpening> openings) {
		return call(() -> this.store.open(openings, TIMEOUT));
	}

	RunRecord start(RunStart start, Duration timeout) {
		return call(() -> this.store.start(start, timeout));
	}

	boolean cover(RunCover cover) {
		return call(() -> this.store.cover(cover, TIMEOUT));
	}

	RunReading find(Collection<JobKey> keys) {
		return call(() -> this.store.find(keys, TIMEOUT));
	}

	/** Owe the end of a run. Does no I/O. */
	Debt owe(RunEnd end) {
		return owe(null, () -> {
		}, end);
	}

	/**
	 * Owe the end of a run, and what came during it. Does no I/O.
	 * @param covered called if what came is settled thereby, and not by the next leader
	 */
	Debt owe(@Nullable RunCover cover, Runnable covered, RunEnd end) {
		Debt debt = new Debt(cover, covered, end);
		this.owed.add(debt);
		return debt;
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

	/** Record the end of a run later, on another thread. */
	void finishLater(RunEnd end) {
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

	boolean owesAnything() {
		return !this.owed.isEmpty();
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
			if (this.clock.nanos() - begun < TIMEOUT.toNanos() && !tryToSettle(debt)) {
				// One that always takes its time must not keep the others waiting.
				this.owed.add(debt);
				this.owed.remove(debt);
			}
		}
	}

	/** Record what is owed now. It stays owed if this throws. */
	void settle(Debt debt) {
		boolean covered = false;
		try {
			RunCover cover = debt.cover();
			covered = cover != null && call(() -> this.store.cover(cover, TIMEOUT));
		}
		catch (UnusableRecordException ex) {
			// What is counted is of less importance than the end of the run.
		}
		try {
			call(() -> this.store.finish(debt.end(), TIMEOUT));
			this.owed.remove(debt);
		}
		finally {
			if (covered) {
				debt.covered().run();
			}
		}
	}

	/** An interrupt is meant for the run, and not for what is recorded about it. */
	private <T> T call(Supplier<T> request) {
		boolean interrupted = Thread.interrupted();
		try {
			return answer(request);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private <T> T answer(Supplier<T> request) {
		try {
			T answer = request.get();
			answered();
			return answer;
		}
		catch (UnusableRecordException ex) {
			// Whoever needs the record tells of it.
			answered();
			throw ex;
		}
		catch (LeaseStoreException ex) {
			boolean known = this.failure != null;
			this.failure = EngineLog.messageOf(ex);
			if (!known) {
				log.tell((logger) -> logger.warn(
						"Runs of jobs can't be recorded: {}. No recorded job is started until "
								+ "they can; what is missed meanwhile is caught up within its starting deadline",
						EngineLog.messageOf(ex)));
			}
			throw ex;
		}
	}

	private void answered() {
		boolean healed = this.failure != null;
		this.failure = null;
		if (healed) {
			log.tell((logger) -> logger.info("Runs of jobs are recorded again"));
		}
	}

	/** What is to be recorded when a run has ended. */
	record Debt(@Nullable RunCover cover, Runnable covered, RunEnd end) {

	}

}
