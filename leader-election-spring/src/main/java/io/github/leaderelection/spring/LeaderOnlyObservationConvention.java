package io.github.leaderelection.spring;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the observation of calls of {@link io.github.leaderelection.LeaderOnly}
 * methods. The name is {@code leader.election.method}. Low-cardinality key values are
 * {@code election} and {@code method}; high-cardinality ones are {@code term} and
 * {@code candidate}.
 * <p>
 * An application can replace it with a
 * {@link io.micrometer.observation.GlobalObservationConvention} for
 * {@link LeaderOnlyObservationContext}.
 */
public class LeaderOnlyObservationConvention implements ObservationConvention<LeaderOnlyObservationContext> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LeaderOnlyObservationContext;
	}

	@Override
	public String getName() {
		return "leader.election.method";
	}

	@Override
	public String getContextualName(LeaderOnlyObservationContext context) {
		return "leader-only " + context.getMethod();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LeaderOnlyObservationContext context) {
		return KeyValues.of("election", context.getLeadership().election(), "method", context.getMethod());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LeaderOnlyObservationContext context) {
		return KeyValues.of("term", String.valueOf(context.getLeadership().term()), "candidate",
				context.getLeadership().candidateId());
	}

}
