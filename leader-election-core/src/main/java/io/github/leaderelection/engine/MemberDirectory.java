package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the entry of this process in the {@link CandidateRegistry} up to date, and reads
 * the entries of the others: at the start, when the elections change, every two minutes,
 * and after the session of a process is seen for the first time. Which processes are
 * still alive is decided by their sessions, and not here.
 */
final class MemberDirectory {

	private static final EngineLog log = EngineLog.of(MemberDirectory.class);

	static final Duration INTERVAL = Duration.ofMinutes(2);

	/** How long to wait before trying again after a failure. */
	static final Duration RETRY = Duration.ofSeconds(30);

	/**
	 * The least time between reads for new processes: in a rollout many start one after
	 * the other.
	 */
	static final Duration PAUSE = Duration.ofSeconds(5);

	/** A process not seen for this long counts as gone, without having withdrawn. */
	private static final Duration SILENCE = INTERVAL.multipliedBy(3);

	private static final Duration LONGEST_CALL = Duration.ofSeconds(2);

	private static final Duration SHORTEST_CALL = Duration.ofMillis(1);

	private final CandidateRecord identity;

	private final CandidateRegistry registry;

	/** Spreads the announcements of processes that start together. */
	private final Duration firstInterval;

	/** The entry as last announced, {@code null} if it was not. */
	private @Nullable CandidateRecord announced;

	private long next;

	/**
	 * When to read again at the earliest if new processes have arrived; monotonic time.
	 */
	private long nextRead;

	/** How many processes had arrived when the entries were last read. */
	private long sessionsSeen;

	private int failures;

	private volatile List<CandidateRecord> candidates = List.of();

	MemberDirectory(CandidateRecord identity, CandidateRegistry registry, Moment now) {
		this.identity = identity;
		this.registry = registry;
		Duration quarter = INTERVAL.dividedBy(4);
		this.firstInterval = quarter.plus(Timing.spread(identity.id(), quarter.multipliedBy(3)));
		this.next = now.nanos();
		this.nextRead = now.nanos();
	}

	/**
	 * Return the call that is due, or {@code null} if there is none.
	 * @param elections the elections this process stands in
	 * @param paused those in which it is paused
	 * @param sessionsSeen how many sessions have been seen for the first time so far
	 * @param slack how long the call may take
	 */
	@Nullable StoreCall poll(Set<String> elections, Set<String> paused, long sessionsSeen, Duration slack, Moment now) {
		CandidateRecord record = this.identity.standingIn(elections, paused);
		boolean due = !record.equals(this.announced) || now.nanos() - this.next >= 0;
		boolean news = sessionsSeen != this.sessionsSeen && now.nanos() - this.nextRead >= 0;
		if ((elections.isEmpty() && this.announced == null) || !(due || news)) {
			return null;
		}
		// Several requests share the time left until the next renewal.
		Duration timeout = Timing.longer(Timing.shorter(slack, LONGEST_CALL).dividedBy(4), SHORTEST_CALL);
		StoreCall call = call(now, StoreOperation.ANNOUNCE, () -> announce(due ? record : null, timeout),
				(then) -> this.next = then.plus(RETRY).nanos());
		this.nextRead = now.plus(PAUSE).nanos();
		this.sessionsSeen = sessionsSeen;
		if (due) {
			this.next = now.plus(record.equals(this.announced) ? INTERVAL : this.firstInterval).nanos();
			this.announced = record;
		}
		return call;
	}

	/** Return the candidates as of the last read. Called by any thread. */
	List<CandidateRecord> candidates() {
		return this.candidates;
	}

	/**
	 * Return what is wrong with the entries that the last read left out. Called by any
	 * thread.
	 */
	List<String> damaged() {
		return this.registry.damaged();
	}

	/** Return the call that removes the entry, or {@code null} if there is none. */
	@Nullable StoreCall withdraw(Moment now) {
		if (this.announced == null) {
			return null;
		}
		this.announced = null;
		return call(now, StoreOperation.WITHDRAW, this::remove, (then) -> {
		});
	}

	private void announce(@Nullable CandidateRecord record, Duration timeout) {
		try {
			if (record != null) {
				this.registry.announce(record, timeout);
			}
			this.candidates = living(this.registry.findAll(timeout));
			this.failures = 0;
		}
		catch (LeaseStoreException ex) {
			this.failures++;
			// The first failure may be the start of an outage, which is logged elsewhere.
			if (this.failures == 2) {
				log.tell((logger) -> logger
					.warn("The list of candidates can't be kept up to date: {}. Elections are not affected; retrying "
							+ "every {}", EngineLog.messageOf(ex), ReadableDuration.exact(RETRY)));
			}
			throw ex;
		}
	}

	/**
	 * Return the entries of processes that are alive. All dates are by the store's clock,
	 * and this process was seen recently. So an entry dated well ahead of its own was not
	 * written by a live process.
	 */
	private List<CandidateRecord> living(List<CandidateRecord> all) {
		CandidateRecord own = all.stream()
			.filter((each) -> each.id().equals(this.identity.id()))
			.findFirst()
			.orElse(null);
		if (own == null) {
			// Entries dated in the future have displaced this one.
			return List.of();
		}
		Instant latest = own.seenAt();
		return all.stream()
			.filter((each) -> latest == null || isLiving(each, latest))
			.map(CandidateRecord::printable)
			.toList();
	}

	private static boolean isLiving(CandidateRecord candidate, Instant latest) {
		Instant seenAt = candidate.seenAt();
		return seenAt != null && seenAt.isAfter(latest.minus(SILENCE)) && seenAt.isBefore(latest.plus(SILENCE));
	}

	private void remove() {
		try {
			this.registry.remove(this.identity.id(), LONGEST_CALL);
		}
		catch (LeaseStoreException ex) {
			log.tell((logger) -> logger.warn("This instance could not be removed from the candidates: {}",
					EngineLog.messageOf(ex)));
			throw ex;
		}
	}

	/**
	 * Create a call that concerns no election: a failure decides nothing, and says
	 * nothing about the leases.
	 */
	private static StoreCall call(Moment now, StoreOperation operation, Runnable request, Consumer<Moment> onFailure) {
		return new StoreCall(now, operation, Set.of(), () -> {
			request.run();
			return (then) -> {
			};
		}, onFailure);
	}

}
