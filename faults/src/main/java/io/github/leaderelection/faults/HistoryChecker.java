package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tells which of the invariants I1 to I5 of {@code docs/guarantees.md} a history
 * violates. It reports only proven violations: a process that is stopped between an event
 * and writing it down must not cause a false alarm.
 */
final class HistoryChecker {

	/**
	 * How much longer than the protocol's bound a busy machine may take: JVMs are
	 * scheduled late, drivers look for the primary, answers are slow.
	 */
	static final Duration ALLOWANCE = Duration.ofSeconds(2);

	private final History history;

	private final List<String> violations = new ArrayList<>();

	private HistoryChecker(History history) {
		this.history = history;
	}

	static List<String> violations(History history) {
		HistoryChecker checker = new HistoryChecker(history);
		checker.check();
		return checker.violations;
	}

	private void check() {
		this.history.lives().forEach((life) -> {
			this.violations.addAll(life.oddities());
			checkCallbacks(life);
		});
		for (String election : this.history.elections()) {
			checkTerms(this.history.held(election));
			checkHealing(election);
			checkHandovers(election);
		}
		checkStoredTerms();
	}

	/** Check I1 and I2, by what the candidates have observed. */
	private void checkTerms(List<TermHistory> terms) {
		for (int i = 0; i < terms.size(); i++) {
			TermHistory term = terms.get(i);
			for (TermHistory later : terms.subList(i + 1, terms.size())) {
				if (term.term() == later.term()) {
					violated("I2: term granted twice", term, later);
				}
				if (term.overlaps(later)) {
					violated("I1: two terms held at the same time", term, later);
				}
				else if (later.heldSince() < term.heldUntil()) {
					violated("I2: the higher term was held first", term, later);
				}
			}
		}
	}

	/** Check I2 by the database's record, and that no term was held without one. */
	private void checkStoredTerms() {
		Map<String, Long> last = new HashMap<>();
		Map<String, StoredTerm> stored = new HashMap<>();
		for (StoredTerm term : this.history.stored()) {
			if (term.term() <= last.getOrDefault(term.election(), 0L)) {
				violated("I2: term recorded out of order", term);
			}
			last.put(term.election(), term.term());
			stored.put(term.election() + term.term(), term);
		}
		for (TermHistory term : this.history.terms()) {
			StoredTerm recorded = stored.get(term.election() + term.term());
			if (recorded == null || !recorded.holder().equals(term.life().candidateId())) {
				violated("I2: term held, but not recorded for this holder", term, recorded);
			}
		}
	}

	/** Check I3. */
	private void checkCallbacks(Life life) {
		Map<String, Life.Callback> last = new HashMap<>();
		for (Life.Callback callback : life.callbacks()) {
			Life.Callback before = last.put(callback.election(), callback);
			boolean follows = (before == null || !before.elected())
					? callback.elected() && (before == null || callback.term() > before.term())
					: !callback.elected() && callback.term() == before.term();
			if (!follows) {
				violated("I3: callback out of order in " + life.name(), before, callback);
			}
			if (callback.afterClose()) {
				violated("I3: callback after close in " + life.name(), callback);
			}
		}
		last.values().forEach((callback) -> {
			if (life.isClosed() && callback.elected()) {
				violated("I3: closed without a callback on defeat in " + life.name(), callback);
			}
		});
	}

	/** Check I4, counting only time in which a majority answers. */
	private void checkHealing(String election) {
		Healing healing = new Healing(this.history, election);
		Set<Integer> rounds = new HashSet<>();
		for (FaultRecord fault : this.history.faults()) {
			healing.afterCrash(fault).ifPresent((crash) -> {
				if (crash.countedNanos() > crash.boundNanos() + ALLOWANCE.toNanos()) {
					violated("I4: %s had no leader for %d ms, %d allowed".formatted(election,
							crash.countedNanos() / 1_000_000, crash.boundNanos() / 1_000_000), fault);
				}
			});
			if (rounds.add(fault.round())) {
				long nanos = healing.countedAfterRound(fault.round());
				if (nanos > healing.longestBoundNanos() + ALLOWANCE.toNanos()) {
					violated("I4: %s had no leader for %d ms after all faults were healed".formatted(election,
							nanos / 1_000_000), fault);
				}
			}
		}
	}

	/** Check I5. A handover is graceful if it is by choice and ends with a release. */
	private void checkHandovers(String election) {
		Set<Long> released = this.history.stored()
			.stream()
			.filter((stored) -> stored.released() && stored.election().equals(election))
			.map(StoredTerm::term)
			.collect(Collectors.toSet());
		List<TermHistory> terms = this.history.held(election);
		for (TermHistory term : terms) {
			if (term.endedByChoice() && released.contains(term.term())) {
				terms.stream()
					.filter((later) -> later.term() > term.term() && later.firstCall() < term.lastCallEnd())
					.forEach((later) -> violated("I5: a call began before the last call of an earlier term had ended",
							term, later));
			}
		}
	}

	private void violated(String what, Object... by) {
		StringBuilder message = new StringBuilder(what);
		for (Object each : by) {
			message.append("; ").append(each);
		}
		this.violations.add(message.toString());
	}

}
