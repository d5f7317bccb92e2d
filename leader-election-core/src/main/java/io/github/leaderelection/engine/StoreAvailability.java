package io.github.leaderelection.engine;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs the beginning and the end of an outage of the store, once each, and each reason of
 * another kind that comes up meanwhile. Where some leases can be changed and others
 * can't, or sessions be renewed and not be read, the answers that there are are no news:
 * it lasts until nothing is hindered any more, and each operation has been answered that
 * is made again and again. All methods except {@link #status} are called by one thread.
 */
final class StoreAvailability {

	private static final EngineLog log = EngineLog.of(StoreAvailability.class);

	/** Of very many kinds, these show what is wrong. */
	private static final int MOST_REASONS = 8;

	private final EngineContext context;

	/** Those that are made again and again, and were not answered last. */
	private final Set<StoreOperation> failing = EnumSet.noneOf(StoreOperation.class);

	/** The kinds of reasons of the present outage that have been logged. */
	private final Set<String> reasons = new HashSet<>();

	private boolean silent;

	private volatile @Nullable Present present;

	StoreAvailability(EngineContext context) {
		this.context = context;
	}

	/** Return whether the store did not even answer the last call. */
	boolean isSilent() {
		return this.silent;
	}

	/** Return whether there is none. */
	boolean isOver() {
		return !this.silent && this.present == null;
	}

	@Nullable StoreOutage status(Moment now) {
		Present lasting = this.present;
		return (lasting != null) ? new StoreOutage(now.since(lasting.since), lasting.reason) : null;
	}

	void failed(StoreOperation operation, Throwable failure, Moment now) {
		this.silent = true;
		if (operation.isRepeated()) {
			this.failing.add(operation);
		}
		Present before = this.present;
		String reason = StoredText.printable(EngineLog.messageOf(failure));
		this.present = new Present((before != null) ? before.since : now, reason);
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
					"Leases of locks can't be reached: {}. This instance holds its locks until its last heartbeat runs "
							+ "out, and acquires no other; retrying until the store answers",
					reason);
		}
		else {
			logger.warn(
					"Leases can't be reached: {}. This instance leads until its last heartbeat runs out, and nothing after "
							+ "that; retrying until the store answers",
					reason);
		}
	}

	/**
	 * There was an answer.
	 * @param hindered whether this process can't do what it wants to, all the same
	 * @param inUse whether anything is read again and again: otherwise no further answer
	 * will come
	 */
	void answered(StoreOperation operation, boolean hindered, boolean inUse, Moment now) {
		this.silent = false;
		this.failing.remove(operation);
		if (!inUse) {
			this.failing.clear();
		}
		Present lasting = this.present;
		if (lasting != null && this.failing.isEmpty() && !hindered) {
			this.present = null;
			this.reasons.clear();
			log.tell((logger) -> logger.info("Leases{} can be reached again, after {}", this.context.ofWhat(),
					ReadableDuration.of(now.since(lasting.since))));
		}
	}

	/** An outage that lasts. */
	private record Present(Moment since, String reason) {

	}

}
