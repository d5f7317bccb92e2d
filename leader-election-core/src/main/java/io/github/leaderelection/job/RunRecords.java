package io.github.leaderelection.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of jobs in their store: read, and changed as {@link RunRecord} allows it.
 * With one line in the log for an outage, and one for its end.
 */
final class RunRecords {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Others change a record when the leader changes, and not for long. */
	private static final int MOST_CHANGES = 5;

	private static final EngineLog log = EngineLog.of(RunRecords.class);

	private final RecordStore store;

	private final RunClock clock;

	/**
	 * What was read or written last. It may have been changed since, which costs the next
	 * change another attempt, and nothing else.
	 */
	private final Map<JobKey, RunRecord> latest = new ConcurrentHashMap<>();

	private volatile @Nullable String failure;

	RunRecords(RecordStore store, RunClock clock) {
		this.store = store;
		this.clock = clock;
	}

	/** Return why the last call has failed, {@code null} if it has not. */
	@Nullable String failure() {
		return this.failure;
	}

	/** Ask the store for its time, if that is due. */
	void compareClocks() {
		if (this.clock.isComparisonDue()) {
			long askedAt = this.clock.nanos();
			this.clock.compared(call(() -> this.store.now(TIMEOUT)), askedAt);
		}
	}

	/** Return records as they are, in one round trip. */
	RunReading find(Collection<JobKey> keys) {
		RecordReading reading = call(() -> this.store.read(keys.stream().map(JobKey::id).toList(), TIMEOUT));
		Map<JobKey, RunRecord> records = new HashMap<>();
		Map<JobKey, String> damaged = new HashMap<>();
		for (JobKey key : keys) {
			StoredRecord stored = reading.records().get(key.id());
			String damage = reading.damaged().get(key.id());
			this.latest.remove(key);
			if (damage != null) {
				damaged.put(key, damage);
			}
			else if (stored != null) {
				try {
					RunRecord record = RunCodec.toRecord(key, stored, this.clock.now());
					records.put(key, record);
					this.latest.put(key, record);
				}
				catch (UnusableRecordException ex) {
					damaged.put(key, ex.problem());
				}
			}
		}
		return new RunReading(records, damaged);
	}

	/**
	 * Open records, in a fixed number of round trips as long as nobody else changes them
	 * meanwhile. Those that are not there are made.
	 * @param before takes what was there before
	 * @return the records as they are then. One that a later term has opened is in
	 * neither map.
	 */
	RunReading open(Collection<RunOpening> openings, Consumer<RunReading> before) {
		RunReading found = find(openings.stream().map(RunOpening::key).toList());
		before.accept(found);
		Map<JobKey, RunRecord> opened = new HashMap<>();
		Map<JobKey, String> damaged = new HashMap<>(found.damaged());
		List<RunOpening> missed = new ArrayList<>(openings);
		openAll(missed, found, opened);
		// Others have changed these at the same time, or the store refuses them.
		for (RunOpening opening : missed) {
			if (!damaged.containsKey(opening.key())) {
				try {
					RunRecord record = open(opening);
					if (record != null) {
						opened.put(opening.key(), record);
					}
				}
				catch (UnusableRecordException ex) {
					damaged.put(opening.key(), ex.problem());
				}
				catch (RecordRefusedException ex) {
					damaged.put(opening.key(), "it can't be opened. " + EngineLog.messageOf(ex));
				}
			}
		}
		return new RunReading(opened, damaged);
	}

	/** Open all at once, and keep those for which that did not come about. */
	private void openAll(List<RunOpening> openings, RunReading found, Map<JobKey, RunRecord> opened) {
		List<RunRecord> made = new ArrayList<>();
		List<RunRecord> changed = new ArrayList<>();
		Set<JobKey> done = new HashSet<>();
		for (RunOpening opening : openings) {
			JobKey key = opening.key();
			RunRecord known = found.records().get(key);
			RunRecord next = next(opening, known);
			if (found.damaged().containsKey(key) || next == null) {
				done.add(key);
			}
			else if (known == null) {
				made.add(next);
			}
			else if (next.equals(known)) {
				opened.put(key, known);
			}
			else {
				changed.add(next);
			}
		}
		if (openings.size() > 1) {
			write(made, this.store::insert, opened);
			write(changed, this.store::replace, opened);
		}
		openings.removeIf((opening) -> done.contains(opening.key()) || opened.containsKey(opening.key()));
	}

	private void write(List<RunRecord> records, Write write, Map<JobKey, RunRecord> written) {
		if (!records.isEmpty()) {
			Set<String> ids = writeUnlessRefused(records, write);
			records.stream().filter((record) -> ids.contains(record.key().id())).forEach((record) -> {
				written.put(record.key(), record);
				this.latest.put(record.key(), record);
			});
		}
	}

	/** Each is tried once more by itself, and then tells why. */
	private Set<String> writeUnlessRefused(List<RunRecord> records, Write write) {
		try {
			return write(records, write, TIMEOUT);
		}
		catch (RecordRefusedException ex) {
			return Set.of();
		}
	}

	private Set<String> write(List<RunRecord> records, Write write, Duration timeout) {
		records.forEach((record) -> this.latest.remove(record.key()));
		return call(() -> write.write(records.stream().map(RunCodec::toStored).toList(), timeout));
	}

	/**
	 * Return the record once it is opened, {@code null} if a later term has opened it.
	 */
	private @Nullable RunRecord open(RunOpening opening) {
		JobKey key = opening.key();
		for (int i = 0; i < MOST_CHANGES; i++) {
			RunRecord known = known(key);
			RunRecord next = next(opening, known);
			if (next == null || next.equals(known)) {
				return next;
			}
			if (known != null && replace(next, TIMEOUT)) {
				return next;
			}
			if (known == null && insert(next)) {
				return next;
			}
			if (known == null && find(key) == null) {
				throw new UnusableRecordException(key, "it is not there and can't be made. Does the collection have a "
						+ "collation by which two names are the same?");
			}
		}
		throw busy(key);
	}

	private static @Nullable RunRecord next(RunOpening opening, @Nullable RunRecord known) {
		if (known != null) {
			return known.opened(opening.term(), opening.timetable(), opening.asOf());
		}
		// Whatever was meant for an earlier record of that name finds nothing.
		long revision = 1 + ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE);
		return new RunRecord(opening.key(), revision, opening.term(), opening.asOf(), opening.timetable(), 0, 0, null);
	}

	/**
	 * Record the start of a run, if the record is what it is taken for.
	 * @return the record as it is now. If the run is its last one, the start is recorded.
	 */
	RunRecord start(RunRecord expected, JobRun run, Duration timeout) {
		JobKey key = expected.key();
		RunRecord known = known(key);
		if (known != null && known.equals(expected)) {
			RunRecord next = known.started(run, this.clock.now());
			if (next != null && replace(next, timeout)) {
				return next;
			}
			known = find(key);
		}
		if (known == null) {
			throw new UnusableRecordException(key, "there is none");
		}
		return known;
	}

	/**
	 * Settle fire times, if the record is what it is taken for.
	 * @return the record, {@code null} if it is another
	 */
	@Nullable RunRecord cover(RunRecord expected, RunCover cover) {
		RunRecord known = known(expected.key());
		RunRecord next = (known != null && known.equals(expected)) ? known.covered(cover) : null;
		return (next != null && replace(next, TIMEOUT)) ? next : null;
	}

	/**
	 * Record the end of a run, if it is the last one and has not ended; and what came
	 * during it, if nobody else has settled that.
	 * @return whether that was settled
	 */
	boolean end(RunEnd end) {
		for (int i = 0; i < MOST_CHANGES; i++) {
			RunRecord known = known(end.key());
			RunRecord ended = (known != null) ? known.ended(end) : null;
			if (ended != null && replace(ended, TIMEOUT)) {
				return end.during() != null && ended.covered().equals(end.during().until());
			}
			if (ended == null && isLatest(known, end.key())) {
				return false;
			}
		}
		throw busy(end.key());
	}

	/** Whether the store shows the same. */
	private boolean isLatest(@Nullable RunRecord known, JobKey key) {
		RunRecord present = find(key);
		return (known == null) ? present == null : present != null && present.revision() == known.revision();
	}

	private @Nullable RunRecord known(JobKey key) {
		RunRecord known = this.latest.get(key);
		return (known != null) ? known : find(key);
	}

	private @Nullable RunRecord find(JobKey key) {
		RunReading reading = find(List.of(key));
		String damage = reading.damaged().get(key);
		if (damage != null) {
			throw new UnusableRecordException(key, damage);
		}
		return reading.records().get(key);
	}

	private boolean insert(RunRecord record) {
		return change(record, this.store::insert, TIMEOUT);
	}

	private boolean replace(RunRecord record, Duration timeout) {
		return change(record, this.store::replace, timeout);
	}

	/** Whatever was not done, or is in doubt, is read before the next change. */
	private boolean change(RunRecord record, Write write, Duration timeout) {
		boolean done = !write(List.of(record), write, timeout).isEmpty();
		if (done) {
			this.latest.put(record.key(), record);
		}
		return done;
	}

	private static LeaseStoreException busy(JobKey key) {
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
			failed(ex);
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void failed(LeaseStoreException failure) {
		boolean known = this.failure != null;
		this.failure = EngineLog.messageOf(failure);
		if (!known) {
			log.tell((logger) -> logger.warn(
					"Runs of jobs can't be recorded: {}. No recorded job is started until "
							+ "they can; what is missed meanwhile is caught up within its starting deadline",
					EngineLog.messageOf(failure)));
		}
	}

	private void answered() {
		boolean healed = this.failure != null;
		this.failure = null;
		if (healed) {
			log.tell((logger) -> logger.info("Runs of jobs are recorded again"));
		}
	}

	/** Either of the two ways to write records. */
	private interface Write {

		Set<String> write(Collection<StoredRecord> records, Duration timeout);

	}

}
