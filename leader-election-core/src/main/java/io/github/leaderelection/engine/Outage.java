package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Tells the beginning and the end of an outage of the store, once each, and each reason
 * of another kind that comes up meanwhile. It lasts until there is an answer for every
 * election for which there was none, and to every operation that failed while others
 * succeeded: where some leases can be changed and others can't, or sessions be renewed
 * and not be read, the answers that there are are no news. All methods except
 * {@link #status} are called by one thread.
 */
final class Outage {

	private static final EngineLog log = EngineLog.of(Outage.class);

	/** How many kinds of reasons are told of one outage. */
	private static final int MOST_KINDS = 8;

	private final EngineWords words;

	/** The elections for which there was no answer. */
	private final Set<String> failing = new HashSet<>();

	/** Those for which there was none although the call before was answered. */
	private final Map<StoreOperation, Set<String>> failingAlone = new EnumMap<>(StoreOperation.class);

	/** The kinds of reasons that were told of the present outage. */
	private final Set<String> kinds = new HashSet<>();

	private boolean silent;

	private volatile @Nullable Beginning beginning;

	Outage(EngineWords words) {
		this.words = words;
	}

	/** Return whether the store did not even answer the last call. */
	boolean isSilent() {
		return this.silent;
	}

	@Nullable StoreOutage status(Moment now) {
		Beginning began = this.beginning;
		return (began != null) ? new StoreOutage(began.durationAt(now), began.reason) : null;
	}

	void failed(StoreOperation operation, Set<String> elections, Throwable failure, Moment now) {
		boolean alone = operation.isRepeated() && !this.silent;
		this.silent = true;
		(alone ? this.failingAlone.computeIfAbsent(operation, (first) -> new HashSet<>()) : this.failing)
			.addAll(elections);
		Beginning began = this.beginning;
		String reason = StoredText.printable(EngineLog.messageOf(failure));
		this.beginning = new Beginning((began != null) ? began.moment : now, reason);
		if (began == null) {
			this.kinds.clear();
			this.kinds.add(kind(failure));
			log.tell((logger) -> this.words.outage(logger, reason));
		}
		else if (this.kinds.size() < MOST_KINDS && this.kinds.add(kind(failure))) {
			log.tell((logger) -> this.words.otherReason(logger, reason));
		}
	}

	private static String kind(Throwable failure) {
		return (failure instanceof LeaseStoreException known) ? known.kind() : failure.getClass().getName();
	}

	/**
	 * There was an answer.
	 * @param elections the elections that the operation was made for
	 * @param sound those of them for which nothing is left to be changed
	 * @param known all elections of this process
	 * @param inUse those that are read again and again: of others no answer will come
	 */
	void answered(StoreOperation operation, Set<String> elections, Set<String> sound, Set<String> known,
			Set<String> inUse, Moment now) {
		this.silent = false;
		this.failing.removeAll(sound);
		this.failing.retainAll(known);
		this.failingAlone.forEach((failed, concerned) -> {
			concerned.removeAll((failed == operation) ? elections : Set.of());
			concerned.retainAll(inUse);
		});
		this.failingAlone.values().removeIf(Set::isEmpty);
		Beginning began = this.beginning;
		if (began != null && this.failing.isEmpty() && this.failingAlone.isEmpty()) {
			this.beginning = null;
			log.tell((logger) -> this.words.endOfOutage(logger, ReadableDuration.of(began.durationAt(now))));
		}
	}

	private record Beginning(Moment moment, String reason) {

		Duration durationAt(Moment now) {
			return Duration.ofNanos(now.nanos() - this.moment.nanos());
		}

	}

}
