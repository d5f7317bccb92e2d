package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.engine.GatedCall;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Begins the observations of calls that were let in. Where nobody observes, no object is
 * made.
 */
final class GateObservations {

	private static final LeaderOnlyObservationConvention CONVENTION = new LeaderOnlyObservationConvention();

	private final Supplier<ObservationRegistry> supplier;

	private volatile @Nullable ObservationRegistry registry;

	/**
	 * Create what observes.
	 * @param supplier of the registry, asked when the first call has been let in: gates
	 * are made before it
	 */
	GateObservations(Supplier<ObservationRegistry> supplier) {
		this.supplier = supplier;
	}

	/**
	 * Start to observe a call, which ends if that fails.
	 * @param call the call
	 * @param operation how it is gated
	 * @return the observation, one that does nothing if nobody observes
	 */
	Observation start(GatedCall call, GateOperation operation) {
		return start(call, operation, null);
	}

	/**
	 * Start to observe a call, which ends if that fails.
	 * @param call the call
	 * @param operation how it is gated
	 * @param parent the observation inside which it is made, or {@code null} for that of
	 * the current thread
	 * @return the observation, one that does nothing if nobody observes
	 */
	Observation start(GatedCall call, GateOperation operation, @Nullable Observation parent) {
		try {
			ObservationRegistry present = registry();
			if (present.isNoop()) {
				return Observation.NOOP;
			}
			Observation observation = Observation.createNotStarted(null, CONVENTION,
					() -> new LeaderOnlyObservationContext(operation.what(), call.leadership()), present);
			if (parent != null) {
				observation.parentObservation(parent);
			}
			return observation.start();
		}
		catch (Throwable ex) {
			call.close();
			throw ex;
		}
	}

	private ObservationRegistry registry() {
		ObservationRegistry present = this.registry;
		if (present == null) {
			present = this.supplier.get();
			this.registry = present;
		}
		return present;
	}

}
