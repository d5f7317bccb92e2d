package io.github.leaderelection.engine;

import java.util.function.Consumer;

/**
 * The part of a simulated process in one election. There may be no memory for a step, for
 * a term, or for what anybody is to be told.
 */
class SimulatedParticipation extends Participation {

	private final Surroundings surroundings;

	SimulatedParticipation(Elections elections, String election, ElectionProtocol protocol, Moment now,
			Surroundings surroundings) {
		super(elections, election, protocol, now);
		this.surroundings = surroundings;
	}

	@Override
	Term begin(Tenure tenure) {
		this.surroundings.pass(Surroundings.Source.TERM);
		return super.begin(tenure);
	}

	@Override
	void apply(Step step, Moment now) {
		// There are many.
		if (this.surroundings.onceIn(10)) {
			this.surroundings.pass(Surroundings.Source.STEP);
		}
		super.apply(step, now);
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
