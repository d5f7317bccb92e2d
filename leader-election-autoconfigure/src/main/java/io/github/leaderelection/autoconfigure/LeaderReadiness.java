package io.github.leaderelection.autoconfigure;

import java.util.function.Supplier;

import io.github.leaderelection.LeaderElection;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ApplicationAvailabilityBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;

/**
 * {@link ApplicationAvailability} of an application that accepts traffic on the leader
 * only. An instance is ready if it is otherwise ready and leads the election at the time
 * of the query. It is no longer ready once a handover begins.
 * <p>
 * Readiness is decided at each query, not by events of its own. Hence no event of Spring
 * Boot or of the application can make a follower ready, and no instance is ready for
 * longer than its lease. Changes of leadership do not publish an
 * {@link AvailabilityChangeEvent}.
 */
class LeaderReadiness extends ApplicationAvailabilityBean {

	private final String election;

	private final Supplier<LeaderElection> elections;

	/**
	 * Create an instance.
	 * @param election the name of the election to lead
	 * @param elections supplies the elections of this process, called only when needed
	 */
	LeaderReadiness(String election, Supplier<LeaderElection> elections) {
		this.election = election;
		this.elections = elections;
	}

	/**
	 * Return the election that must be led.
	 * @return the election name
	 */
	String election() {
		return this.election;
	}

	@Override
	public <S extends AvailabilityState> @Nullable AvailabilityChangeEvent<S> getLastChangeEvent(Class<S> stateType) {
		AvailabilityChangeEvent<S> last = super.getLastChangeEvent(stateType);
		if (last != null && last.getState() == ReadinessState.ACCEPTING_TRAFFIC && !leads()) {
			return new AvailabilityChangeEvent<>(this, stateType.cast(ReadinessState.REFUSING_TRAFFIC));
		}
		return last;
	}

	private boolean leads() {
		LeaderElection all = this.elections.get();
		return all.elections().contains(this.election)
				&& all.leadership(this.election).filter((leadership) -> !leadership.isEnding()).isPresent();
	}

}
