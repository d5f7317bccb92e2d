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
 * The records of all jobs in their store. With one line in the log for an outage, and one
 * for its end.
 */
final class RunStore {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final EngineLog log = EngineLog.of(RunStore.class);

	private final RecordStore store;

	private final String prefix;

	private final RunClock clock;

	private final Problem outage = new Problem();

	/** The jobs whose record could not be changed, which is still to be done. */
	private final Set<JobKey> unwritten = ConcurrentHashMap.newKeySet();

	/** Whether no change of a record was answered since one was not. */
	private volatile boolean changesFail;

	/** Whether the last call has failed that was no change of a record. */
	private volatile boolean unread;

	/**
	 * Create a store.
	 * @param prefix what comes before the ids of records
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

	/** Return why calls have failed, {@code null} if none has. */
	@Nullable String failure() {
		return this.outage.present();
	}

	/** Return why they have failed for a job, {@code null} if they have not. */
	@Nullable String failure(JobKey job) {
		return (this.unread || this.unwritten.contains(job)) ? this.outage.present() : null;
	}

	/**
	 * Ask the store for its time, if that is due. What took too long to come is no
	 * answer: it says too little of a clock, and one of which nothing is known must not
	 * say from when on fire times count.
	 */
	void compareClocks() {
		if (this.clock.isComparisonDue()) {
			long askedAt = this.clock.nanos();
			this.clock.compared(call(null, () -> {
				Instant answer = this.store.now(TIMEOUT);
				if (this.clock.nanos() - askedAt > TIMEOUT.toNanos()) {
					throw new LeaseStoreException("its time has come too late", null);
				}
				return answer;
			}), askedAt);
		}
	}

	/**
	 * Read records, in one round trip. What is damaged costs no other job anything.
	 */
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
	 * Write what follows a record.
	 * @param before the record, {@code null} if there is none
	 * @return whether it was as it is known
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
	 * Make a call. An interrupt is meant for the run, and not for what is recorded about
	 * it.
	 * @param changed the job whose record it changes, {@code null} if it changes none
	 */
	private <T> T call(@Nullable JobKey changed, Supplier<T> request) {
		boolean interrupted = Thread.interrupted();
		try {
			T answer = request.get();
			answered(changed);
			return answer;
		}
		catch (RecordRefusedException ex) {
			// Whoever needs the record tells of it.
			answered(changed);
			throw ex;
		}
		catch (LeaseStoreException ex) {
			if (Thread.interrupted()) {
				// That came meanwhile, and is no outage.
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
			// What is not owed any more is no outage, though none of it was answered.
			if (this.outage.begins(reason) || !known) {
				log.tell((logger) -> logger
					.warn("Runs of jobs can't be recorded: {}. No job is started until its run can be; what jobs that "
							+ "have a record miss meanwhile is caught up within their starting deadlines", reason));
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
		// Where changes fail, reads may well be answered.
		if (!this.changesFail && this.unwritten.isEmpty() && this.outage.ends()) {
			log.tell((logger) -> logger.info("Runs of jobs are recorded again"));
		}
	}

	/** The record of a job need not be changed any more, or can't be. */
	void settled(JobKey job) {
		this.unwritten.remove(job);
	}

}
