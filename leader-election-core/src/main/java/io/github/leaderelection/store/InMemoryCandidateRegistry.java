package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link CandidateRegistry} in memory, for tests. Never waits, never drops an entry by
 * itself, and is safe for use by several threads.
 */
public final class InMemoryCandidateRegistry implements CandidateRegistry {

	private final InstantSource clock;

	private final Map<String, CandidateRecord> candidates = new LinkedHashMap<>();

	/**
	 * Create an empty registry that dates its entries by the clock of the system.
	 */
	public InMemoryCandidateRegistry() {
		this(InstantSource.system());
	}

	/**
	 * Create an empty registry.
	 * @param clock what dates {@link CandidateRecord#startedAt()} and
	 * {@link CandidateRecord#seenAt()}
	 */
	public InMemoryCandidateRegistry(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized void announce(CandidateRecord candidate, Duration timeout) {
		CandidateRecord known = this.candidates.get(candidate.id());
		Instant now = this.clock.instant();
		Instant startedAt = (known != null) ? known.startedAt() : now;
		this.candidates.put(candidate.id(),
				new CandidateRecord(candidate.id(), candidate.application(), candidate.host(), candidate.pid(),
						candidate.version(), candidate.address(), candidate.elections(), startedAt, now,
						candidate.paused()));
	}

	@Override
	public synchronized void remove(String candidateId, Duration timeout) {
		this.candidates.remove(candidateId);
	}

	@Override
	public synchronized List<CandidateRecord> findAll(Duration timeout) {
		return List.copyOf(this.candidates.values());
	}

}
