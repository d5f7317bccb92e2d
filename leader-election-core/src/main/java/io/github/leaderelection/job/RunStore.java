package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * Reads and writes the records of all jobs. Logs one line when an outage begins, and one
 * when it ends.
 */
final class RunStore {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final EngineLog log = EngineLog.of(RunStore.class);

	private final RecordStore store;

	private final String prefix;

	private final RunClock clock;

	private final Problem outage = new Problem();

	/** The jobs with a change that has failed and is still to be written. */
	private final Set<JobKey> unwritten = ConcurrentHashMap.newKeySet();

	/** Whether the last change of a record got no answer. */
	private volatile boolean changesFail;

	/** Whether a call that changes no record has failed since the last answer. */
	private volatile boolean unread;

	/**
	 * Create a store.
	 * @param prefix the prefix of the ids of records
	 */
	RunStore(RecordStore store, String prefix, RunClock clock) {
		this.store = store;
		this.prefix = prefix;
		this.clock = clock;
	}

	private String id(JobState state) {
		return this.prefix + state.key().id();
	}

	RunClock clock() {
		return this.clock;
	}

	/** Return why calls have failed, {@code null} if there is no outage. */
	@Nullable String failure() {
		return this.outage.present();
	}

	/** Return why calls for a job have failed, {@code null} if they have not. */
	@Nullable String failure(JobKey job) {
		return (this.unread || this.unwritten.contains(job)) ? this.outage.present() : null;
	}

	/**
	 * Ask the store for its time, if a comparison is due. An answer that takes longer
	 * than the timeout counts as none: it says too little about the local clock, and a
	 * clock that was not compared must not decide from when on fire times count.
	 */
	void compareClocks() {
		if (this.clock.isComparisonDue()) {
			long askedAt = this.clock.nanos();
			this.clock.compared(call(null, () -> {
				Instant answer = this.store.now(TIMEOUT);
				if (this.clock.nanos() - askedAt > TIMEOUT.toNanos()) {
					throw new LeaseStoreException("the store took too long to tell its time", null);
				}
				return answer;
			}), askedAt);
		}
	}

	/** Read records in one round trip. A damaged record does not affect other jobs. */
	void read(Collection<JobState> states, Duration timeout) {
		if (states.isEmpty()) {
			return;
		}
		Map<JobState, Long> asked = new HashMap<>();
		states.forEach((state) -> asked.put(state, state.changes()));
		RecordReading reading = call(null, () -> this.store.read(states.stream().map(this::id).toList(), timeout));
		asked.forEach((state, changes) -> {
			StoredRecord stored = reading.records().get(id(state));
			String damage = reading.damaged().get(id(state));
			try {
				if (damage != null) {
					throw new DamagedRecordException(damage);
				}
				state.read((stored != null) ? RunCodec.toRecord(state.key(), stored, this.clock.now()) : null, changes);
			}
			catch (DamagedRecordException | RuntimeException ex) {
				settled(state.key());
				state.damaged(EngineLog.messageOf(ex));
			}
		});
	}

	/**
	 * Write the record that follows.
	 * @param before the current record, {@code null} if there is none
	 * @return whether it was written; {@code false} if the stored record is not
	 * {@code before}, or the store refuses the change
	 */
	boolean write(JobState state, @Nullable RunRecord before, RunRecord after, Duration timeout) {
		List<StoredRecord> changed = List.of(RunCodec.toStored(id(state), after));
		try {
			return !call(state.key(),
					() -> (before != null) ? this.store.replace(changed, timeout) : this.store.insert(changed, timeout))
				.isEmpty();
		}
		catch (RecordRefusedException ex) {
			state.damaged("it can't be changed. " + EngineLog.messageOf(ex));
			return false;
		}
	}

	/**
	 * Call the store. A pending interrupt is meant for the run, not for recording it, so
	 * it is set aside until the call has returned.
	 * @param changed the job whose record the call changes, {@code null} if it changes
	 * none
	 */
	private <T> T call(@Nullable JobKey changed, Supplier<T> request) {
		boolean interrupted = Thread.interrupted();
		try {
			T answer = request.get();
			answered(changed);
			return answer;
		}
		catch (RecordRefusedException ex) {
			// The caller reports it.
			answered(changed);
			throw ex;
		}
		catch (LeaseStoreException ex) {
			if (Thread.interrupted()) {
				// The interrupt came during the call. That is no outage.
				interrupted = true;
				throw ex;
			}
			boolean known = this.unread || !this.unwritten.isEmpty();
			if (changed != null) {
				this.unwritten.add(changed);
				this.changesFail = true;
			}
			else {
				this.unread = true;
			}
			String reason = EngineLog.messageOf(ex);
			// If no failed change is owed any more, this is a new outage, even if the
			// store has not answered since the last one.
			if (this.outage.begins(reason) || !known) {
				log.tell((logger) -> logger
					.warn("Runs of jobs can't be recorded: {}. No job is started until they can be. Jobs that "
							+ "have a record then catch up, within their starting deadlines", reason));
			}
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void answered(@Nullable JobKey changed) {
		this.unread = false;
		if (changed != null) {
			this.unwritten.remove(changed);
			this.changesFail = false;
		}
		// An answered read does not end an outage in which changes fail.
		if (!this.changesFail && this.unwritten.isEmpty() && this.outage.ends()) {
			log.tell((logger) -> logger.info("Runs of jobs are recorded again"));
		}
	}

	/** Note that a failed change of the record is no longer needed, or not possible. */
	void settled(JobKey job) {
		this.unwritten.remove(job);
	}

}
