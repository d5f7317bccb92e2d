package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.LeaseStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the entry of this process in the {@link CandidateRegistry} up to date, and reads
 * those of the others: at the start, when the elections change, and now and then as a
 * sign of life.
 */
final class Announcements {

	private static final EngineLog log = EngineLog.of(Announcements.class);

	static final Duration INTERVAL = Duration.ofSeconds(30);

	/** Who has been silent for so long is gone, without having said so. */
	private static final Duration SILENCE = INTERVAL.multipliedBy(3);

	private static final Duration LONGEST_CALL = Duration.ofSeconds(2);

	private static final Duration SHORTEST_CALL = Duration.ofMillis(1);

	private final CandidateRecord identity;

	private final CandidateRegistry registry;

	private @Nullable Set<String> announced;

	private long next;

	private int failures;

	private volatile List<CandidateRecord> candidates = List.of();

	Announcements(CandidateRecord identity, CandidateRegistry registry, Moment now) {
		this.identity = identity;
		this.registry = registry;
		this.next = now.nanos();
	}

	@Nullable StoreCall poll(Set<String> elections, Duration slack, Moment now) {
		boolean changed = !elections.equals(this.announced);
		if ((elections.isEmpty() && this.announced == null) || (!changed && now.nanos() - this.next < 0)) {
			return null;
		}
		Duration timeout = half((slack.compareTo(LONGEST_CALL) < 0) ? slack : LONGEST_CALL);
		CandidateRecord record = this.identity.standingIn(elections);
		StoreCall call = call(now, StoreOperation.ANNOUNCE, () -> announce(record, timeout));
		this.next = now.plus(INTERVAL).nanos();
		this.announced = elections;
		return call;
	}

	/** Two requests share the time that the leases of this process leave for them. */
	private static Duration half(Duration slack) {
		Duration half = slack.dividedBy(2);
		return (half.compareTo(SHORTEST_CALL) > 0) ? half : SHORTEST_CALL;
	}

	/** Return the candidates as of the last time. Called by any thread. */
	List<CandidateRecord> candidates() {
		return this.candidates;
	}

	/** Return the call that removes the entry, or {@code null} if there is none. */
	@Nullable StoreCall withdraw(Moment now) {
		if (this.announced == null) {
			return null;
		}
		this.announced = null;
		return call(now, StoreOperation.WITHDRAW, this::remove);
	}

	private void announce(CandidateRecord record, Duration timeout) {
		try {
			this.registry.announce(record, timeout);
			this.candidates = living(this.registry.findAll(timeout));
			this.failures = 0;
		}
		catch (LeaseStoreException ex) {
			this.failures++;
			// The first may be the beginning of an outage, which is told elsewhere.
			if (this.failures == 2) {
				log.tell((logger) -> logger
					.warn("The list of candidates can't be kept up to date: {}. Elections go on; trying again "
							+ "every {} s", EngineLog.messageOf(ex), INTERVAL.toSeconds()));
			}
			throw ex;
		}
	}

	/**
	 * All dates are by the store's clock, and this process has just been seen. Whoever is
	 * to be seen only in times to come has not been entered by a process that lives.
	 */
	private List<CandidateRecord> living(List<CandidateRecord> all) {
		CandidateRecord own = all.stream()
			.filter((each) -> each.id().equals(this.identity.id()))
			.findFirst()
			.orElse(null);
		if (own == null) {
			// Crowded out of what is read, by entries that are dated ahead.
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
			log.tell((logger) -> logger.warn("This instance stays listed among the candidates for a while: {}",
					EngineLog.messageOf(ex)));
			throw ex;
		}
	}

	/** A failure here decides nothing, and says nothing about the leases. */
	private static StoreCall call(Moment now, StoreOperation operation, Runnable request) {
		return new StoreCall(now, operation, Set.of(), () -> {
			request.run();
			return (sentAt, then) -> {
			};
		}, (then) -> {
		});
	}

}
