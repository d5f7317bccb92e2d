package io.github.leaderelection.engine;

import java.util.function.Consumer;

/**
 * The part of a simulated process in one election. There may be no memory for a state,
 * for a term, or for what anybody is to be told.
 */
class SimulatedParticipation extends Participation {

	private final Surroundings surroundings;

	SimulatedParticipation(EngineContext context, String election, ElectionProtocol protocol, OwnSession session,
			Moment now, Surroundings surroundings) {
		super(context, election, protocol, session, now);
		this.surroundings = surroundings;
	}

	@Override
	Term begin(TermState own, Belief belief) {
		this.surroundings.pass(Surroundings.Source.TERM);
		return super.begin(own, belief);
	}

	@Override
	void apply(ElectionState next, Moment now) {
		// There are many.
		if (this.surroundings.onceIn(10)) {
			this.surroundings.pass(Surroundings.Source.STEP);
		}
		super.apply(next, now);
	}

	@Override
	void beginToTell(CandidateCallbacks callbacks, Term ended) {
		this.surroundings.pass(Surroundings.Source.NEWS);
		super.beginToTell(callbacks, ended);
	}

	@Override
	void tell(Consumer<ElectionListener> event) {
		this.surroundings.pass(Surroundings.Source.NEWS);
		super.tell(event);
	}

}
