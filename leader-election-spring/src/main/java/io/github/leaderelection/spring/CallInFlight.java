package io.github.leaderelection.spring;

import io.github.leaderelection.engine.GatedCall;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RecordedRun;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * A call or a subscription that was let in, with the recorded run and the observation
 * that end with it.
 */
final class CallInFlight {

	private final GatedCall call;

	private @Nullable RecordedRun run;

	private Observation observation = Observation.NOOP;

	CallInFlight(GatedCall call) {
		this.call = call;
	}

	GatedCall call() {
		return this.call;
	}

	Observation observation() {
		return this.observation;
	}

	void observe(GateServices services, String what, @Nullable Observation parent) {
		this.observation = services.observe(this.call, what, parent);
	}

	/**
	 * Record the start of a run that was taken. Calls the store.
	 * @return whether the run is to be started
	 */
	boolean begin(RecordedMethod recorded, PlannedRun planned) {
		this.run = recorded.begin(planned, this.call.leadership());
		return this.run != null;
	}

	/** Enter the recorded run, if there is one. */
	@Nullable WorkScope enterRun() {
		return (this.run != null) ? this.run.enter() : null;
	}

	void end(@Nullable Throwable failure) {
		try {
			if (this.run != null) {
				// Before the call ends, so that a change of leader waits for the record,
				// too.
				this.run.end(failure);
			}
		}
		finally {
			// The call first: an observation that fails must not keep it in flight.
			this.call.close();
			observed(failure);
		}
	}

	private void observed(@Nullable Throwable failure) {
		try {
			if (failure != null) {
				this.observation.error(failure);
			}
		}
		finally {
			this.observation.stop();
		}
	}

}
