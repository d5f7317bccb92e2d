package io.github.leaderelection.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of all jobs in their store. With one line in the log for an outage, and one
 * for its end.
 */
final class RunStore {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Others change a record when the leader changes, and not for long. */
	static final int MOST_ROUNDS = 5;

	private final RecordStore store;

	private final String prefix;

	private final RunClock clock;

	private final Problem outage = new Problem();

	/**
	 * Create a store.
	 * @param prefix what comes before the ids of records
	 */
	RunStore(RecordStore store, String prefix, RunClock clock) {
		this.store = store;
		this.prefix = prefix;
		this.clock = clock;
	}

	private String id(JobKey key) {
		return this.prefix + key.id();
	}

	private StoredRecord toStored(RunRecord record) {
		StoredRecord stored = RunCodec.toStored(record);
		return new StoredRecord(id(record.key()), stored.revision(), stored.fields());
	}

	RunClock clock() {
		return this.clock;
	}

	/** Return why the last call has failed, {@code null} if it has not. */
	@Nullable String failure() {
		return this.outage.present();
	}

	/** Ask the store for its time, if that is due. */
	void compareClocks() {
		if (this.clock.isComparisonDue()) {
			long askedAt = this.clock.nanos();
			this.clock.compared(call(() -> this.store.now(TIMEOUT)), askedAt);
		}
	}

	/** Read records, in one round trip. */
	void read(Collection<JobState> states) {
		Map<JobState, Long> asked = new HashMap<>();
		states.forEach((state) -> asked.put(state, state.changes()));
		RecordReading reading = call(
				() -> this.store.read(states.stream().map((each) -> id(each.key())).toList(), TIMEOUT));
		asked.forEach((state, changes) -> {
			StoredRecord stored = reading.records().get(id(state.key()));
			String damage = reading.damaged().get(id(state.key()));
			try {
				if (damage != null) {
					throw new DamagedRecordException(damage);
				}
				state.read((stored != null) ? RunCodec.toRecord(state.key(), stored, this.clock.now()) : null, changes);
			}
			catch (DamagedRecordException ex) {
				state.damaged(EngineLog.messageOf(ex));
			}
		});
	}

	/**
	 * Write what is pending, in a fixed number of round trips as long as nobody else
	 * changes the records meanwhile. What is damaged, or refused, stays pending.
	 */
	void flush(Collection<JobState> states) {
		Set<JobState> damaged = new HashSet<>();
		for (int i = 0; i < MOST_ROUNDS; i++) {
			List<JobState> unread = states.stream()
				.filter((each) -> each.isToRead() && !damaged.contains(each))
				.toList();
			if (!unread.isEmpty()) {
				read(unread);
				unread.stream().filter((each) -> each.damage() != null && each.isToRead()).forEach(damaged::add);
			}
			List<JobState.Write> writes = new ArrayList<>();
			for (JobState state : states) {
				JobState.Write next = state.next();
				while (next != null && next.isMade()) {
					next.done(state.changes());
					next = state.next();
				}
				if (next != null) {
					writes.add(next);
				}
			}
			if (writes.isEmpty() && states.stream().noneMatch((each) -> each.isToRead() && !damaged.contains(each))) {
				return;
			}
			damaged.addAll(write(writes.stream().filter((each) -> each.before() == null).toList(), this.store::insert));
			damaged
				.addAll(write(writes.stream().filter((each) -> each.before() != null).toList(), this.store::replace));
		}
		for (JobState state : states) {
			if (state.isPending() && state.isAbsent()) {
				state.damaged("it is not there and can't be made. Does the collection have a collation by which two "
						+ "names are the same?");
			}
			else if (state.isToRead() && !damaged.contains(state)) {
				throw busy(state.key());
			}
		}
	}

	/** Return those that the store refuses. */
	private List<JobState> write(List<JobState.Write> writes, WriteCall call) {
		if (writes.isEmpty()) {
			return List.of();
		}
		Map<JobState.Write, Long> changes = new LinkedHashMap<>();
		writes.forEach((each) -> changes.put(each, each.state().tried()));
		try {
			Set<String> written = write(writes.stream().map(JobState.Write::after).toList(), call, TIMEOUT);
			changes.forEach((each, change) -> {
				if (written.contains(id(each.after().key()))) {
					each.done(change);
				}
			});
			return List.of();
		}
		catch (RecordRefusedException ex) {
			List<JobState> refused = writes.stream().map(JobState.Write::state).toList();
			refused.forEach((each) -> each.damaged("it can't be changed. " + EngineLog.messageOf(ex)));
			return refused;
		}
	}

	/**
	 * Make a change, if the record is what it is taken for.
	 * @return whether it was made; otherwise it is read before the next one
	 */
	boolean change(JobState state, RunRecord known, RunChange change, Duration timeout) {
		RunRecord next = change.on(known);
		long number = state.tried();
		boolean done = next != null && !write(List.of(next), this.store::replace, timeout).isEmpty();
		if (next != null && done) {
			state.written(next, number);
		}
		return done;
	}

	private Set<String> write(Collection<RunRecord> records, WriteCall call, Duration timeout) {
		return call(() -> call.write(records.stream().map(this::toStored).toList(), timeout));
	}

	static LeaseStoreException busy(JobKey key) {
		return new LeaseStoreException("the record of job '%s' changes all the time".formatted(key), null);
	}

	/** An interrupt is meant for the run, and not for what is recorded about it. */
	private <T> T call(Supplier<T> request) {
		boolean interrupted = Thread.interrupted();
		try {
			T answer = request.get();
			answered();
			return answer;
		}
		catch (RecordRefusedException ex) {
			// Whoever needs the record tells of it.
			answered();
			throw ex;
		}
		catch (LeaseStoreException ex) {
			String reason = EngineLog.messageOf(ex);
			this.outage
				.begins(reason,
						(logger) -> logger.warn("Runs of jobs can't be recorded: {}. No recorded job is started until "
								+ "they can; what is missed meanwhile is caught up within its starting deadline",
								reason));
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void answered() {
		this.outage.ends((logger) -> logger.info("Runs of jobs are recorded again"));
	}

	/** Either of the two ways to write records. */
	private interface WriteCall {

		Set<String> write(Collection<StoredRecord> records, Duration timeout);

	}

}
