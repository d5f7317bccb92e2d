package io.github.leaderelection.engine;

import java.util.function.Consumer;

import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.TermState;
import org.slf4j.LoggerFactory;

/**
 * The part of a simulated process in one election. Creating a state, a term or a
 * notification may fail as if memory had run out. May have a {@link Flaw}.
 */
class SimulatedMember extends ElectionMember {

	private final Surroundings surroundings;

	private final Flaw flaw;

	private TermState.Phase phase;

	private boolean broken;

	SimulatedMember(Flaw flaw, EngineContext context, String election, ElectionSettings settings,
			ElectionProtocol protocol, OwnSession session, Agenda<ElectionMember> agenda, PastElections.Past past,
			Moment now, Surroundings surroundings) {
		super(context, election, settings, protocol, session, agenda, past, now);
		this.surroundings = surroundings;
		this.flaw = flaw;
	}

	@Override
	Term begin(TermState own, Deadline deadline) {
		this.surroundings.pass(Surroundings.Source.TERM);
		return super.begin(own, deadline);
	}

	@Override
	void apply(ElectionState next, Moment now) {
		// Steps are frequent, so let few of them fail.
		if (this.surroundings.onceIn(10)) {
			this.surroundings.pass(Surroundings.Source.STEP);
		}
		super.apply(next, now);
	}

	@Override
	void tellDefeated(CandidateCallbacks callbacks, Term ended) {
		this.surroundings.pass(Surroundings.Source.NEWS);
		super.tellDefeated(callbacks, ended);
	}

	@Override
	void tell(Consumer<ElectionListener> event) {
		try {
			this.surroundings.pass(Surroundings.Source.NEWS);
			super.tell(event);
		}
		catch (RuntimeException | Error ex) {
			if (this.flaw != Flaw.TELLS_LISTENERS_ONCE) {
				throw ex;
			}
		}
	}

	@Override
	void reconcile() {
		TermState.Phase next = (state().term() != null) ? state().term().phase() : null;
		if (this.flaw == Flaw.LOGS_BEFORE_IT_ACTS && next != this.phase) {
			this.phase = next;
			this.broken = true;
			LoggerFactory.getLogger(ElectionMember.class).info("It is {} now", next);
			this.broken = false;
		}
		if (!this.broken) {
			super.reconcile();
		}
	}

}
