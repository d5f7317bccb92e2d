package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs the beginning and the end of an outage of the store, once each, and each new kind
 * of failure in between. An outage lasts until there was an answer for every election
 * that had none, and for every operation that failed while others succeeded. If some
 * leases can be changed and others can't, or sessions can be renewed but not read, the
 * answers to the former do not end it. All methods except {@link #status} and
 * {@link #hasFailedWithin} are called by one thread.
 */
final class StoreAvailability {

	private static final EngineLog log = EngineLog.of(StoreAvailability.class);

	/** The most kinds of failure to log in one outage: so many show what is wrong. */
	private static final int MOST_REASONS = 8;

	private final EngineContext context;

	/** The elections for which there was no answer. */
	private final Set<String> failing = new HashSet<>();

	/**
	 * The elections for which an operation had no answer although the call before it had.
	 */
	private final Map<StoreOperation, Set<String>> failingAlone = new EnumMap<>(StoreOperation.class);

	/** The kinds of failure that have been logged in the present outage. */
	private final Set<String> reasons = new HashSet<>();

	private boolean silent;

	private volatile @Nullable Present present;

	StoreAvailability(EngineContext context) {
		this.context = context;
	}

	/** Return whether the last call had no answer. */
	boolean isSilent() {
		return this.silent;
	}

	/** Return whether there is no outage. */
	boolean isOver() {
		return this.present == null;
	}

	@Nullable StoreOutage status(Moment now) {
		Present lasting = this.present;
		return (lasting != null) ? new StoreOutage(now.since(lasting.since), lasting.reason) : null;
	}

	/** Return whether there is an outage, and a call has failed within this time. */
	boolean hasFailedWithin(Duration time, Moment now) {
		Present lasting = this.present;
		return lasting != null && now.since(lasting.failedAt).compareTo(time) <= 0;
	}

	/**
	 * Note that a call was not answered.
	 * @param sentAt a time before it was sent
	 */
	void failed(StoreOperation operation, Set<String> elections, Throwable failure, Moment sentAt, Moment now) {
		boolean alone = operation.isRepeated() && !this.silent;
		this.silent = true;
		(alone ? this.failingAlone.computeIfAbsent(operation, (first) -> new HashSet<>()) : this.failing)
			.addAll(elections);
		Present before = this.present;
		String reason = StoredText.printable(EngineLog.messageOf(failure));
		this.present = new Present((before != null) ? before.since : sentAt, now, reason);
		if (this.reasons.size() < MOST_REASONS && this.reasons.add(kind(failure))) {
			log.tell((logger) -> logReason(logger, before == null, reason));
		}
	}

	private static String kind(Throwable failure) {
		return (failure instanceof LeaseStoreException known) ? known.kind() : failure.getClass().getName();
	}

	private void logReason(Logger logger, boolean first, String reason) {
		if (!first) {
			logger.warn("Leases{} still can't be reached, now for another reason: {}", this.context.ofWhat(), reason);
		}
		else if (this.context.ephemeral()) {
			logger.warn(
					"Leases of locks can't be reached: {}. This instance holds its locks until shortly "
							+ "before its session expires, and acquires no others; retrying until the store answers",
					reason);
		}
		else {
			logger.warn(
					"Leases can't be reached: {}. What this instance leads, it leads until shortly before its session "
							+ "expires; retrying until the store answers",
					reason);
		}
	}

	/**
	 * Note that a call was answered.
	 * @param elections the elections that the call was made for
	 * @param sound those of them for which no change is left to be made
	 * @param known all elections of this process
	 * @param inUse returns the elections for which an operation is repeated soon; for
	 * others no answer will come
	 */
	void answered(StoreOperation operation, Set<String> elections, Set<String> sound, Set<String> known,
			Function<StoreOperation, Set<String>> inUse, Moment now) {
		this.silent = false;
		this.failing.removeAll(sound);
		this.failing.retainAll(known);
		this.failingAlone.getOrDefault(operation, new HashSet<>()).removeAll(elections);
		this.failingAlone.forEach((repeated, concerned) -> concerned.retainAll(inUse.apply(repeated)));
		this.failingAlone.values().removeIf(Set::isEmpty);
		Present lasting = this.present;
		if (lasting != null && this.failing.isEmpty() && this.failingAlone.isEmpty()) {
			this.present = null;
			this.reasons.clear();
			log.tell((logger) -> logger.info("Leases{} can be reached again, after {}", this.context.ofWhat(),
					ReadableDuration.of(now.since(lasting.since))));
		}
	}

	/** The present outage. */
	private record Present(Moment since, Moment failedAt, String reason) {

	}

}
