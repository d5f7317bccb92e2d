package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Watchdog;
import io.github.leaderelection.job.RecordedJob.Look;
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

	/** A driver may forget the time limit of a call. */
	private static final Duration PATIENCE = TIMEOUT.multipliedBy(3).plusSeconds(1);

	/** A few for what follows, one after the other, and a few for what others change. */
	private static final int MOST_ROUNDS = 10;

	private static final EngineLog log = EngineLog.of(RunStore.class);

	private final Set<Watchdog> calls = ConcurrentHashMap.newKeySet();

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
		return this.prefix + look.key().id();
	}

	RunClock clock() {
		return this.clock;
	}

	/** Return why the last call has failed, {@code null} if it has not. */
	@Nullable String failure() {
		return this.outage.present();
	}

	/**
	 * Break off calls that have taken far too long, in whatever thread. Asked by others
	 * than those that wait for them.
	 */
	void breakOff() {
		this.calls.forEach((each) -> each.check(this.clock.moment()));
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
		List<Look> open = List.copyOf(looks);
		for (int i = 0; i < MOST_ROUNDS && !open.isEmpty(); i++) {
			read(open.stream().filter((look) -> look.ledger().isStale()).toList(), timeout);
			List<Change> changes = open.stream().map(Look::next).filter(Objects::nonNull).toList();
			write(changes.stream().filter((each) -> each.before() == null).toList(), this.store::insert, timeout);
			write(changes.stream().filter((each) -> each.before() != null).toList(), this.store::replace, timeout);
			open = open.stream().filter(Look::isOpen).toList();
		}
		for (Look look : open) {
			if (look.ledger().present() != null) {
				throw new LeaseStoreException("the record of job '%s' changes all the time".formatted(look.key()),
						null);
			}
			look.damaged("it is not there and can't be made. Does the collection have a collation by which two "
					+ "names are the same?");
		}
	}

	/** Read records, in one round trip. */
	private void read(List<Look> looks, Duration timeout) {
		if (!looks.isEmpty()) {
			Map<Look, Long> asked = new HashMap<>();
			looks.forEach((look) -> asked.put(look, look.ledger().changes()));
			RecordReading reading = call(() -> this.store.read(looks.stream().map(this::id).toList(), timeout));
			asked.forEach((look, changes) -> look.read(reading, id(look), changes));
		}
	}

	/** Write records, in one round trip. */
	private void write(List<Change> changes, BiFunction<Collection<StoredRecord>, Duration, Set<String>> request,
			Duration timeout) {
		if (changes.isEmpty()) {
			return;
		}
		List<StoredRecord> records = changes.stream()
			.map((each) -> RunCodec.toStored(id(each.look()), each.after()))
			.toList();
		try {
			Set<String> written = call(() -> request.apply(records, timeout));
			changes.stream()
				.filter((each) -> written.contains(id(each.look())))
				.forEach((each) -> each.look().written(each));
		}
		catch (RecordRefusedException ex) {
			changes.forEach((each) -> each.look().damaged("it can't be changed. " + EngineLog.messageOf(ex)));
		}
	}

	/** An interrupt is meant for the run, and not for what is recorded about it. */
	private <T> T call(Supplier<T> request) {
		breakOff();
		boolean interrupted = Thread.interrupted();
		Watchdog watchdog = new Watchdog();
		this.calls.add(watchdog);
		try {
			T answer = watchdog.guard(PATIENCE, this.clock.moment(), request);
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
			this.calls.remove(watchdog);
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

	/**
	 * A change of a record that is made now.
	 *
	 * @param look who makes it
	 * @param before the record as it is, {@code null} if there is none
	 * @param after the record as it will be
	 * @param number its number
	 */
	record Change(Look look, @Nullable RunRecord before, RunRecord after, long number) {

	}

}
