package io.github.leaderelection.engine;

import java.util.function.Consumer;

import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.TermState;

/**
 * The part of a simulated process in one election. There may be no memory for a state,
 * for a term, or for what anybody is to be told.
 */
class SimulatedMember extends ElectionMember {

	private final Surroundings surroundings;

	SimulatedMember(EngineContext context, String election, ElectionSettings settings, ElectionProtocol protocol,
			OwnSession session, PastElections.Past past, Moment now, Surroundings surroundings) {
		super(context, election, settings, protocol, session, past, now);
		this.surroundings = surroundings;
	}

	@Override
	Term begin(TermState own, Deadline deadline) {
		this.surroundings.pass(Surroundings.Source.TERM);
		return super.begin(own, deadline);
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
