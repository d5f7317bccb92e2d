package io.github.leaderelection.engine;

/**
 * The part of a simulated process in one election. There may be no memory for a term.
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

}
