package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;

/**
 * Checks the promises after every event of a simulation, knowing all processes.
 */
final class Invariants {

	private final Map<String, Long> highestTerms = new HashMap<>();

	private final Map<String, List<Holder>> holders = new HashMap<>();

	private final Set<Term> begun = new HashSet<>();

	private final Set<Term> over = new HashSet<>();

	private final Map<RecordingCandidate, Integer> checkedEvents = new HashMap<>();

	private final Map<RecordingCandidate, Integer> eventsAtTheEnd = new HashMap<>();

	/** The lease of the leader that each process last followed. */
	private final Map<ElectionMember, Lease> followed = new HashMap<>();

	/** The state of each process at the last check. */
	private final Map<ElectionMember, ElectionState> checkedStates = new HashMap<>();

	private final Simulation simulation;

	private Invariant violated;

	private String violation;

	private int terms;

	Invariants(Simulation simulation) {
		this.simulation = simulation;
	}

	/** Return the first promise that was violated, {@code null} if none was. */
	Invariant violated() {
		return this.violated;
	}

	/** Return how it was violated. */
	String violation() {
		return this.violation;
	}

	/** Return how many terms have begun. */
	int terms() {
		return this.terms;
	}

	/** Return the highest term that has begun, 0 if none has. */
	long highestTerm(String election) {
		return this.highestTerms.getOrDefault(election, 0L);
	}

	void violate(Invariant invariant, String how) {
		if (this.violated == null) {
			this.violated = invariant;
			this.violation = how;
		}
	}

	/** Check a process after something has happened in it. */
	void check(SimulatedProcess process) {
		for (Map.Entry<String, RecordingCandidate> candidate : process.candidates().entrySet()) {
			String election = candidate.getKey();
			Term term = process.term(election);
			List<Holder> known = this.holders.computeIfAbsent(election, (name) -> new ArrayList<>());
			boolean begins = term != null && this.begun.add(term);
			if (begins) {
				this.simulation.trace(process, () -> "is elected: " + term);
				known.add(new Holder(process, term));
			}
			checkSingleHolder(election, known);
			if (term != null) {
				checkOver(term);
			}
			// It is over as it begins if its deadline passed while its thread waited.
			if (begins && term.isHeld()) {
				checkOrder(term);
				checkWork(process, term);
			}
			checkCallbacks(process, candidate.getValue());
			checkFollowed(process, election);
		}
	}

	/** Check that a process reports no loss of a leader while its term goes on. */
	private void checkFollowed(SimulatedProcess process, String election) {
		// A process that has left has nothing to compare with when it comes back.
		ElectionMember member = process.member(election);
		if (member == null) {
			return;
		}
		ElectionState known = member.state();
		if (this.checkedStates.put(member, known) == known) {
			return;
		}
		String leader = known.leader(process.id());
		Lease last = this.followed.remove(member);
		if (leader != null && !leader.equals(process.id())) {
			this.followed.put(member, known.presentLease());
		}
		else if (leader == null && last != null && !this.simulation.hasShownThePast()) {
			Lease present = this.simulation.mongo().lease(election);
			if (present != null && leads(last, present)) {
				violate(Invariant.I3,
						"%s hears that nobody leads '%s' any more, but %s goes on".formatted(process, election, last));
			}
		}
	}

	private static boolean leads(Lease told, Lease present) {
		return told.term() == present.term() && Objects.equals(told.holder(), present.holder());
	}

	private void checkOrder(Term term) {
		this.terms++;
		long highest = this.highestTerms.getOrDefault(term.election(), 0L);
		// After a lease was removed, the process that creates it again may not know its
		// last terms.
		if (term.term() <= highest && !this.simulation.hasRemovedLeases()) {
			violate(Invariant.I2, "%s begins after term %d".formatted(term, highest));
		}
		this.highestTerms.put(term.election(), Math.max(highest, term.term()));
	}

	private void checkOver(Term term) {
		if (!term.isHeld()) {
			this.over.add(term);
		}
		else if (this.over.contains(term)) {
			violate(Invariant.I1, "%s is held again".formatted(term));
		}
	}

	private void checkWork(SimulatedProcess process, Term term) {
		if (process.worksBefore(term.election(), term.term())) {
			violate(Invariant.I5,
					"%s begins while work of an earlier term of %s is in flight".formatted(term, process));
		}
	}

	private void checkSingleHolder(String election, List<Holder> known) {
		if (known.size() < 2) {
			return;
		}
		known.removeIf((each) -> each.process.isCrashed() || (!each.process.isPaused() && !each.isKnownOrHeld()));
		List<Holder> held = known.stream().filter((each) -> !each.process.isPaused() && each.term.isHeld()).toList();
		if (held.size() > 1) {
			violate(Invariant.I1, "several lead '%s': %s".formatted(election, held));
		}
	}

	private void checkCallbacks(SimulatedProcess process, RecordingCandidate candidate) {
		List<String> events = candidate.events();
		int checked = this.checkedEvents.getOrDefault(candidate, 0);
		if (events.size() == checked) {
			return;
		}
		this.checkedEvents.put(candidate, events.size());
		this.simulation.trace(process,
				() -> "has told its candidate in '%s': %s".formatted(candidate.election(), events));
		for (int i = checked; i < events.size(); i++) {
			// A candidate that leaves during a term is told no reason.
			boolean follows = (i % 2 == 0) ? events.get(i).startsWith("elected ")
					: (events.get(i) + " ").startsWith(events.get(i - 1).replace("elected", "defeated") + " ");
			if (!follows) {
				violate(Invariant.I3, "%s of '%s' is told %s".formatted(process, candidate.election(), events));
			}
		}
		if (events.size() > this.eventsAtTheEnd.getOrDefault(candidate, Integer.MAX_VALUE)) {
			violate(Invariant.I3, "%s is told after it has closed: %s".formatted(process, events));
		}
	}

	/** Check what candidates were told last, once their process leads nothing. */
	void settled(SimulatedProcess process) {
		process.candidates().keySet().forEach((election) -> checkTold(process, election));
	}

	/** Check that a candidate was told last that it leads, or else that it does not. */
	void checkTold(SimulatedProcess process, String election) {
		List<String> events = process.candidates().get(election).events();
		boolean elected = !events.isEmpty() && events.get(events.size() - 1).startsWith("elected");
		if (elected != process.leads(election)) {
			violate(Invariant.I3, "%s %s '%s' but has told its candidate %s".formatted(process,
					elected ? "does not lead" : "leads", election, events));
		}
	}

	/** Check that a listener was told last that this process leads, or else does not. */
	void checkHeard(SimulatedProcess process, String election) {
		boolean elected = process.listener().knowsLeader(election);
		if (elected != process.leads(election)) {
			violate(Invariant.I3, "%s %s '%s' but a listener has not heard of it".formatted(process,
					elected ? "does not lead" : "leads", election));
		}
	}

	/** Note that the process has closed: its candidates must be told nothing more. */
	void closed(SimulatedProcess process) {
		this.simulation.trace(process, () -> "has closed");
		process.candidates().values().forEach((each) -> this.eventsAtTheEnd.put(each, each.events().size()));
	}

	/** Check a release that takes effect. */
	void released(Lease lease) {
		SimulatedProcess process = (lease.holder() != null) ? this.simulation.process(lease.holder()) : null;
		if (process == null || !process.isAlive() || process.hasLost(lease.election(), lease.term())) {
			// A lost or timed-out term is released even if its work still runs.
			return;
		}
		Session session = this.simulation.mongo().session(lease.sessionId());
		if (session == null || session.ended()) {
			// Others may release a lease whose session is over.
			return;
		}
		if (process.works(lease.election(), lease.term())) {
			violate(Invariant.I5, "%s releases '%s' while work of term %d is in flight".formatted(process,
					lease.election(), lease.term()));
		}
		List<String> events = process.candidates().get(lease.election()).events();
		if (!events.isEmpty() && events.get(events.size() - 1).equals("elected " + lease.term())) {
			violate(Invariant.I5,
					"%s releases '%s' before its candidate is told: %s".formatted(process, lease.election(), events));
		}
	}

	enum Invariant {

		/** No two terms are held at the same instant. */
		I1,

		/** Terms strictly increase. */
		I2,

		/** Callbacks balance. */
		I3,

		/** Leadership heals in time. */
		I4,

		/** Work ends before the lease is released, or taken again by the same process. */
		I5

	}

	private record Holder(SimulatedProcess process, Term term) {

		boolean isKnownOrHeld() {
			return this.process.term(this.term.election()) == this.term || this.term.isHeld();
		}

		@Override
		public String toString() {
			return this.process + " in term " + this.term.term();
		}

	}

}
