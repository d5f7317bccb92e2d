package io.github.leaderelection.job;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

	/** A few for what follows, one after the other, and a few for what others change. */
	private static final int MOST_ROUNDS = 10;

	private static final EngineLog log = EngineLog.of(RunStore.class);

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

	private String id(Reconciled job) {
		return this.prefix + job.known().key().id();
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

	/**
	 * Read what is stale, and write what follows, until nothing does, in a fixed number
	 * of round trips as long as nobody else changes the records meanwhile. What is
	 * damaged, or refused, is left alone.
	 */
	void reconcile(Collection<? extends Reconciled> jobs, Duration timeout) {
		Set<Reconciled> open = new LinkedHashSet<>(jobs);
		// It may have been repaired.
		open.stream().map(Reconciled::known).filter((known) -> known.damage() != null).forEach(KnownRecord::expire);
		for (int i = 0; i < MOST_ROUNDS && !open.isEmpty(); i++) {
			read(open.stream().filter((job) -> job.known().isStale()).toList(), timeout).forEach(open::remove);
			List<Write> inserts = new ArrayList<>();
			List<Write> replacements = new ArrayList<>();
			for (Reconciled job : open.stream().filter((each) -> !each.known().isStale()).toList()) {
				RunRecord before = job.known().present();
				RunRecord after = job.next(before);
				if (after != null) {
					((before != null) ? replacements : inserts).add(new Write(job, before, after));
				}
				else if (!job.known().isStale()) {
					open.remove(job);
				}
			}
			write(inserts, this.store::insert, timeout).forEach(open::remove);
			write(replacements, this.store::replace, timeout).forEach(open::remove);
		}
		for (Reconciled job : open) {
			if (!job.known().isAbsent()) {
				throw new LeaseStoreException(
						"the record of job '%s' changes all the time".formatted(job.known().key()), null);
			}
			job.known()
				.damaged("it is not there and can't be made. Does the collection have a collation by which two "
						+ "names are the same?");
		}
	}

	/** Read records, in one round trip, and return those that are damaged. */
	private List<Reconciled> read(List<Reconciled> jobs, Duration timeout) {
		if (jobs.isEmpty()) {
			return List.of();
		}
		Map<Reconciled, Long> asked = new HashMap<>();
		jobs.forEach((job) -> asked.put(job, job.known().changes()));
		RecordReading reading = call(() -> this.store.read(jobs.stream().map(this::id).toList(), timeout));
		List<Reconciled> damaged = new ArrayList<>();
		asked.forEach((job, changes) -> {
			StoredRecord stored = reading.records().get(id(job));
			String damage = reading.damaged().get(id(job));
			KnownRecord known = job.known();
			try {
				if (damage != null) {
					throw new DamagedRecordException(damage);
				}
				known.read((stored != null) ? RunCodec.toRecord(known.key(), stored, this.clock.now()) : null, changes);
			}
			catch (DamagedRecordException | RuntimeException ex) {
				// Whatever it is, it costs no other job anything.
				known.damaged(EngineLog.messageOf(ex));
				damaged.add(job);
			}
		});
		return damaged;
	}

	/** Write records, in one round trip, and return those that the store refuses. */
	private List<Reconciled> write(List<Write> writes, WriteCall call, Duration timeout) {
		if (writes.isEmpty()) {
			return List.of();
		}
		Map<Write, Long> changes = new LinkedHashMap<>();
		writes.forEach((each) -> changes.put(each, each.job().known().tried()));
		try {
			Set<String> written = call(() -> call.write(
					writes.stream().map((each) -> RunCodec.toStored(id(each.job()), each.after())).toList(), timeout));
			changes.forEach((each, change) -> {
				if (written.contains(id(each.job()))) {
					each.job().known().written(each.after(), change);
					each.job().written(each.before(), each.after());
				}
			});
			return List.of();
		}
		catch (RecordRefusedException ex) {
			List<Reconciled> refused = writes.stream().map(Write::job).toList();
			refused.forEach((job) -> job.known().damaged("it can't be changed. " + EngineLog.messageOf(ex)));
			return refused;
		}
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
			if (this.outage.begins(reason)) {
				log.tell((logger) -> logger.warn(
						"Runs of jobs can't be recorded: {}. No recorded job is started until "
								+ "they can; what is missed meanwhile is caught up within its starting deadline",
						reason));
			}
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void answered() {
		if (this.outage.ends()) {
			log.tell((logger) -> logger.info("Runs of jobs are recorded again"));
		}
	}

	/** A record that is to agree with what has happened in this process. */
	interface Reconciled {

		KnownRecord known();

		/**
		 * Return what is to be written next.
		 * @param record the record as it is, {@code null} if there is none
		 * @return the record that follows, {@code null} if there is nothing to be written
		 * as long as what is known is not stale
		 */
		@Nullable RunRecord next(@Nullable RunRecord record);

		/** A change was made here. */
		void written(@Nullable RunRecord before, RunRecord after);

	}

	/** A change that is made now. */
	private record Write(Reconciled job, @Nullable RunRecord before, RunRecord after) {

	}

	/** Either of the two ways to write records. */
	private interface WriteCall {

		Set<String> write(Collection<StoredRecord> records, Duration timeout);

	}

}
