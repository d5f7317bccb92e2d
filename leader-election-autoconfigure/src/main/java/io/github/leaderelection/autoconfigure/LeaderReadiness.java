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
 * only: whenever it is ready otherwise, and leads the election at the very time of
 * asking. It no longer does as soon as a handover begins.
 * <p>
 * Decided at each question rather than by events of its own, so that no event, of Spring
 * Boot or of the application, can make an instance ready that does not lead, and none is
 * ready for longer than its lease. Changes of leadership are no
 * {@link AvailabilityChangeEvent AvailabilityChangeEvents}.
 */
class LeaderReadiness extends ApplicationAvailabilityBean {

	private final String election;

	private final Supplier<LeaderElection> elections;

	/**
	 * Create an instance.
	 * @param election the name of the election to lead
	 * @param elections supplies the elections of this process, asked only when needed
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
