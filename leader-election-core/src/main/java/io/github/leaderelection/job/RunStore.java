package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.job.RecordedJob.Look;
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

	private String id(Look look) {
		return this.prefix + look.state().key().id();
	}

	RunClock clock() {
		return this.clock;
	}

	/** Return why the last call has failed, {@code null} if it has not. */
	@Nullable String failure() {
		return this.outage.present();
	}

	/**
	 * Ask the store for its time, if that is due. What took too long to come is no
	 * answer: it says too little of a clock, and one of which nothing is known must not
	 * say from when on fire times count.
	 */
	void compareClocks() {
		if (this.clock.isComparisonDue()) {
			long askedAt = this.clock.nanos();
			this.clock.compared(call(() -> {
				Instant answer = this.store.now(TIMEOUT);
				if (this.clock.nanos() - askedAt > TIMEOUT.toNanos()) {
					throw new LeaseStoreException("its time has come too late", null);
				}
				return answer;
			}), askedAt);
		}
	}

	/**
	 * Read what is stale, and write what follows, until nothing does, in a fixed number
	 * of round trips as long as nobody else changes the records meanwhile. What is
	 * damaged, or refused, is left alone.
	 */
	void reconcile(Collection<Look> looks, Duration timeout) {
		Set<Look> open = new LinkedHashSet<>(looks);
		// It may have been repaired.
		open.stream().map(Look::state).filter((state) -> state.damage() != null).forEach(JobState::expire);
		for (int i = 0; i < MOST_ROUNDS && !open.isEmpty(); i++) {
			read(open.stream().filter((look) -> look.state().isStale()).toList(), open, timeout);
			List<Write> inserts = new ArrayList<>();
			List<Write> replacements = new ArrayList<>();
			for (Look look : open.stream().filter((each) -> !each.state().isStale()).toList()) {
				RunRecord before = look.state().present();
				RunRecord after = look.next(before);
				if (after != null) {
					((before != null) ? replacements : inserts)
						.add(new Write(look, before, after, look.state().attempted()));
				}
				else if (!look.state().isStale()) {
					open.remove(look);
				}
			}
			write(inserts, this.store::insert, open, timeout);
			write(replacements, this.store::replace, open, timeout);
		}
		for (Look look : open) {
			if (look.state().present() != null) {
				throw new LeaseStoreException(
						"the record of job '%s' changes all the time".formatted(look.state().key()), null);
			}
			look.state()
				.damaged("it is not there and can't be made. Does the collection have a collation by which two "
						+ "names are the same?");
		}
	}

	/** Read records, in one round trip. Those that are damaged are not open any more. */
	private void read(List<Look> looks, Set<Look> open, Duration timeout) {
		if (looks.isEmpty()) {
			return;
		}
		Map<Look, Long> asked = new HashMap<>();
		looks.forEach((look) -> asked.put(look, look.state().changes()));
		RecordReading reading = call(() -> this.store.read(looks.stream().map(this::id).toList(), timeout));
		asked.forEach((look, changes) -> {
			StoredRecord stored = reading.records().get(id(look));
			String damage = reading.damaged().get(id(look));
			JobState state = look.state();
			try {
				if (damage != null) {
					throw new DamagedRecordException(damage);
				}
				state.read((stored != null) ? RunCodec.toRecord(state.key(), stored, this.clock.now()) : null, changes);
			}
			catch (DamagedRecordException | RuntimeException ex) {
				// Whatever it is, it costs no other job anything.
				state.damaged(EngineLog.messageOf(ex));
				open.remove(look);
			}
		});
	}

	/** Write records, in one round trip. Those that are refused are not open any more. */
	private void write(List<Write> writes, BiFunction<Collection<StoredRecord>, Duration, Set<String>> request,
			Set<Look> open, Duration timeout) {
		if (writes.isEmpty()) {
			return;
		}
		List<StoredRecord> records = writes.stream()
			.map((each) -> RunCodec.toStored(id(each.look()), each.after()))
			.toList();
		try {
			Set<String> written = call(() -> request.apply(records, timeout));
			writes.stream()
				.filter((each) -> written.contains(id(each.look())))
				.forEach((each) -> each.look().written(each.before(), each.after(), each.change()));
		}
		catch (RecordRefusedException ex) {
			for (Write each : writes) {
				each.look().state().damaged("it can't be changed. " + EngineLog.messageOf(ex));
				open.remove(each.look());
			}
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

	/** A change that is made now, the one of that number. */
	private record Write(Look look, @Nullable RunRecord before, RunRecord after, long change) {

	}

}
