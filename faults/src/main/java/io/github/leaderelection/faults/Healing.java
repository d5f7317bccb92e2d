package io.github.leaderelection.faults;

import java.util.List;
import java.util.Optional;

import io.github.leaderelection.faults.FaultKind.Effect;

/**
 * Measures how long an election had no leader, and how long it took to get one.
 */
final class Healing {

	/** By default, the poll interval is the time to live divided by this. */
	private static final int POLLS_PER_TTL = 10;

	/** Histories record only now and then that a term is still held. */
	private static final long BETWEEN_ANSWERS_NANOS = 100_000_000;

	private final History history;

	private final String election;

	private final List<TermHistory> terms;

	private final long longestTtl;

	Healing(History history, String election) {
		this.history = history;
		this.election = election;
		this.terms = history.held(election);
		this.longestTtl = history.lives().stream().mapToLong(Life::ttlNanos).max().orElse(0);
	}

	/** Return the longest time to live of any candidate, plus its poll interval. */
	long longestBoundNanos() {
		return this.longestTtl + this.longestTtl / POLLS_PER_TTL;
	}

	/**
	 * Return how long it took to replace a leader after a fault with the effect of a
	 * crash, measured from the fault, which is not before the last renewal. Empty if the
	 * target did not lead, if faults overlapped, or if the fault was too short to tell.
	 */
	Optional<Crash> afterCrash(FaultRecord fault) {
		if (fault.kind().effect() != Effect.CRASH || !this.history.isAlone(fault)) {
			return Optional.empty();
		}
		return ledBy(fault).flatMap((term) -> {
			long bound = term.life().ttlNanos() + this.longestTtl / POLLS_PER_TTL;
			long lasted = fault.healing() - fault.begun();
			if (fault.kind() != FaultKind.LEADER_KILLED && lasted < bound + HistoryChecker.ALLOWANCE.toNanos()) {
				return Optional.empty();
			}
			long next = next(term);
			return Optional
				.of(new Crash(next - fault.begun(), this.history.majority().longestNanos(fault.begun(), next), bound));
		});
	}

	/**
	 * Return the time from asking a leader to step down until the next one led. Empty if
	 * it was asked about another election, did not lead, did not step down, or if faults
	 * overlapped.
	 */
	Optional<Long> afterHandover(FaultRecord fault) {
		if (fault.kind().effect() != Effect.HANDOVER || !fault.affects(this.election) || !this.history.isAlone(fault)) {
			return Optional.empty();
		}
		return ledBy(fault).filter((term) -> next(term) <= fault.healed() + longestBoundNanos())
			.map((term) -> next(term) - fault.begun());
	}

	/**
	 * Return how long it took to get a leader once all faults of a round were healed; 0
	 * if there was one all along.
	 */
	long afterRound(int round) {
		return Math.max(0, ledAfter(round) - healed(round));
	}

	/**
	 * Return the longest stretch of that time in which a majority answered.
	 */
	long countedAfterRound(int round) {
		long healed = healed(round);
		return this.history.majority().longestNanos(healed, Math.max(healed, ledAfter(round)));
	}

	private long healed(int round) {
		return this.history.faults()
			.stream()
			.filter((fault) -> fault.round() == round)
			.mapToLong(FaultRecord::healed)
			.max()
			.orElseThrow();
	}

	private long ledAfter(int round) {
		long healed = healed(round);
		return this.terms.stream()
			.filter((term) -> term.heldUntil() >= healed - BETWEEN_ANSWERS_NANOS)
			.mapToLong(TermHistory::heldSince)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * Return how long nobody led between two times.
	 */
	long vacantNanos(long from, long to) {
		long vacant = 0;
		long covered = from;
		for (TermHistory term : this.terms) {
			if (term.heldUntil() >= covered && term.heldSince() <= to) {
				vacant += Math.max(0, term.heldSince() - covered);
				covered = Math.max(covered, term.heldUntil());
			}
		}
		return vacant + Math.max(0, to - covered);
	}

	private Optional<TermHistory> ledBy(FaultRecord fault) {
		return this.terms.stream()
			.filter((term) -> term.life().candidate().equals(fault.target()))
			.filter((term) -> term.heldSince() <= fault.begun()
					&& term.heldUntil() >= fault.begun() - BETWEEN_ANSWERS_NANOS)
			.reduce((earlier, later) -> later);
	}

	private long next(TermHistory term) {
		return this.terms.stream()
			.filter((other) -> other.term() > term.term())
			.mapToLong(TermHistory::heldSince)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * How a crash was healed.
	 *
	 * @param nanos the time until another candidate led
	 * @param countedNanos the longest stretch of it in which a majority answered: after
	 * each gap, a candidate may see the last renewal for the first time
	 * @param boundNanos the time to live of the crashed leader plus a poll interval
	 */
	record Crash(long nanos, long countedNanos, long boundNanos) {

	}

}
