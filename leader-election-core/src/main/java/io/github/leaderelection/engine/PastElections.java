package io.github.leaderelection.engine;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What this process remembers of elections it has left, in case it joins them again:
 * whether it is paused, its cooldown, and the highest term it has seen.
 * <p>
 * The application can name any number of elections at run time. So only what can still
 * matter is kept, and for at most {@value #LIMIT} elections: the ones left first are
 * forgotten first. Elections in which this process is paused are never forgotten, as each
 * of them took a call of its own.
 */
final class PastElections {

	static final int LIMIT = 10_000;

	private final Map<String, Past> byName = new LinkedHashMap<>();

	void remember(ElectionState state, boolean paused, Moment now) {
		if (!paused && state.highestTerm() == 0 && now.isDue(state.notBefore())) {
			return;
		}
		this.byName.put(state.election(), new Past(paused, state.notBefore(), state.highestTerm()));
		if (this.byName.size() > LIMIT) {
			this.byName.values()
				.stream()
				.filter((each) -> !each.paused())
				.findFirst()
				.ifPresent(this.byName.values()::remove);
		}
	}

	/** Return what is remembered of the election, {@code null} for nothing. */
	@Nullable Past recall(String election) {
		return this.byName.get(election);
	}

	/** Forget the election: its new member keeps the state from now on. */
	void forget(String election) {
		this.byName.remove(election);
	}

	/**
	 * What is remembered of an election.
	 *
	 * @param paused whether this process is paused
	 * @param notBefore when it may take the lease at the earliest; monotonic time
	 * @param highestTerm the highest term ever seen, 0 if none was
	 */
	record Past(boolean paused, long notBefore, long highestTerm) {

	}

}
