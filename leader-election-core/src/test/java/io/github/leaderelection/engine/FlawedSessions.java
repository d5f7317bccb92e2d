package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Decides which sessions are alive, with a {@link Flaw}.
 */
class FlawedSessions extends SessionProtocol {

	private final Flaw flaw;

	FlawedSessions(Flaw flaw, String id, Timing timing, LongSupplier numbers) {
		super(id, timing, numbers);
		this.flaw = flaw;
	}

	@Override
	protected Moment deadline(Moment sentAt) {
		return (this.flaw == Flaw.NO_MARGIN) ? sentAt.plus(timing().ttl()) : super.deadline(sentAt);
	}

	@Override
	protected Moment countsFrom(SessionState state, Moment now) {
		return (this.flaw == Flaw.DEADLINE_FROM_THE_ANSWER) ? now : super.countsFrom(state, now);
	}

	@Override
	public SessionState sending(SessionState state, Moment now) {
		return (this.flaw == Flaw.DEADLINE_FROM_THE_LAST_SENDING) ? new SessionState(state.phase(), state.number(),
				state.revision(), now, state.nextCall(), state.validUntil(), state.confirmedAt(), state.failedIn())
				: super.sending(state, now);
	}

	@Override
	protected boolean hasOutlived(Duration ttl, Observation seen, Moment now) {
		Session session = seen.session();
		return switch (this.flaw) {
			case EXPIRY_BY_WALL_CLOCK -> session == null || session.renewedAt() == null
					|| session.renewedAt().plus(ttl).toEpochMilli() <= now.millis();
			case WATCHES_FOR_TOO_SHORT -> super.hasOutlived(ttl.minus(ttl.dividedBy(10)), seen, now);
			case OWN_TTL_INSTEAD_OF_THE_HOLDERS -> super.hasOutlived(timing().ttl(), seen, now);
			default -> super.hasOutlived(ttl, seen, now);
		};
	}

	@Override
	public Life life(@Nullable Observation seen, Moment now) {
		Life life = super.life(seen, now);
		return switch (this.flaw) {
			case TAKES_WITHOUT_ENDING -> (life == Life.SILENT) ? Life.ENDED : life;
			case MISSING_IS_ENDED -> (life == Life.MISSING) ? Life.ENDED : life;
			case TAKES_WHERE_NOTHING_IS ->
				(life != Life.MISSING) ? life : hasOutlived(timing().ttl(), seen, now) ? Life.ENDED : Life.ALIVE;
			default -> life;
		};
	}

	@Override
	public Observation observe(@Nullable Observation before, @Nullable Session seen, Moment now, Duration headStart) {
		Observation observed = super.observe(before, seen, now, headStart);
		return (this.flaw == Flaw.EXPIRY_FROM_THE_LAST_LOOK)
				? new Observation(observed.session(), now.nanos(), observed.freeAt()) : observed;
	}

}
