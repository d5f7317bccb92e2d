package io.github.leaderelection.engine;

import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.LeaseObservation;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Decides who holds a lease, with a {@link Flaw}.
 */
class FlawedElections extends ElectionProtocol {

	private final Flaw flaw;

	private final String id;

	private final Timing timing;

	FlawedElections(Flaw flaw, String id, Timing timing, SessionProtocol sessions) {
		super(id, timing, sessions);
		this.flaw = flaw;
		this.id = id;
		this.timing = timing;
	}

	@Override
	protected Moment validUntil(Moment sentAt) {
		return (this.flaw == Flaw.NO_MARGIN) ? sentAt.plus(this.timing.ttl()) : super.validUntil(sentAt);
	}

	@Override
	protected long outlivedAt(Lease lease, LeaseObservation seen) {
		return (this.flaw == Flaw.MISSING_LEASE_IS_FREE) ? seen.since() : super.outlivedAt(lease, seen);
	}

	@Override
	protected boolean isFromBefore(ElectionState state, Lease lease) {
		return this.flaw != Flaw.TAKES_WHAT_IS_FROM_BEFORE && super.isFromBefore(state, lease);
	}

	@Override
	protected ElectionState read(ElectionState state, @Nullable Lease lease, Moment sentAt, boolean pushed,
			Moment now) {
		if (this.flaw == Flaw.BELIEVES_A_READ && lease != null && lease.isHeldBy(this.id) && state.term() == null
				&& state.stands()) {
			return taken(state, lease, true, sentAt, now);
		}
		return super.read(state, lease, (this.flaw == Flaw.LOOK_FROM_THE_ANSWER) ? now : sentAt, pushed, now);
	}

	@Override
	protected ElectionState handOver(ElectionState state, TermState.Handover how) {
		ElectionState next = (this.flaw == Flaw.NEVER_HANDS_OVER) ? state : super.handOver(state, how);
		return (this.flaw == Flaw.RELEASES_BEFORE_THE_DRAIN && state.isIn(TermState.Phase.LEADING))
				? on(next, ElectionEvent.settled(state.term().number()), how.since()) : next;
	}

	@Override
	public @Nullable Due next(ElectionState state, @Nullable Observation holder, Moment now) {
		Due due = super.next(state, holder, now);
		Lease lease = state.presentLease();
		return switch (this.flaw) {
			case SAME_TERM_FOR_ITS_OWN_LEASE ->
				(due != null && due.command() instanceof Command.Take take && take.expected().isHeldBy(this.id))
						? new Due(new Command.Take(take.expected(), take.expected().term()), due.at()) : due;
			case TAKES_WHAT_IS_PAUSED -> (lease != null && lease.isVacant() && state.isPaused() && state.term() == null)
					? new Due(new Command.Take(lease, lease.term() + 1), now.nanos()) : due;
			case KEEPS_WHAT_IT_DOES_NOT_LEAD -> state.isIn(TermState.Phase.STOPPING) ? null : due;
			default -> due;
		};
	}

}
