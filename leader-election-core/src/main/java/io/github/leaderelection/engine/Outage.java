package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Tells the beginning and the end of an outage of the store, once each. It lasts until
 * there is an answer for every election for which there was none: where some leases can
 * be changed and others can't, their answers are no news. All methods except
 * {@link #status} are called by one thread.
 */
final class Outage {

	private static final EngineLog log = EngineLog.of(Outage.class);

	private final EngineWords words;

	private final Set<String> failing = new HashSet<>();

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

	void failed(Set<String> elections, Throwable failure, Moment now) {
		this.silent = true;
		this.failing.addAll(elections);
		Beginning began = this.beginning;
		String reason = StoredText.printable(EngineLog.messageOf(failure));
		this.beginning = new Beginning((began != null) ? began.moment : now, reason);
		if (began == null) {
			log.tell((logger) -> this.words.outage(logger, reason));
		}
	}

	/**
	 * There was an answer.
	 * @param sound the elections for which that means that all is well
	 * @param known all elections of this process
	 */
	void answered(Set<String> sound, Set<String> known, Moment now) {
		this.silent = false;
		this.failing.removeAll(sound);
		this.failing.retainAll(known);
		Beginning began = this.beginning;
		if (began != null && this.failing.isEmpty()) {
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
